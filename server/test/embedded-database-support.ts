/** Folders of embedded databases, and servers that can be killed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { startEmbeddedDatabase } from '../src/platform/embedded-database.ts'
import { importable } from './harness/program.ts'

const STEP_LIMIT_MS = 30_000
export const silent = () => undefined

// A separate program that can be killed, as by an operator or the machine.
const SERVER_PROGRAM = `
  const { startEmbeddedDatabase } = await import(process.env.MODULE_URL)
  const say = (kind, text) => process.stdout.write(JSON.stringify({ kind, text }) + '\\n')
  try {
    const database = await startEmbeddedDatabase({ dataDir: process.env.TEST_DATA_DIR, log: (text) => say('log', text) })
    process.once('SIGINT', async () => {
      const { default: pg } = await import('pg')
      const client = new pg.Client(database.url)
      await client.connect()
      await client.query('select 1')
      await client.end()
      await database.close()
      say('stopped', 'in order')
    })
    say('ready', database.url)
  } catch (error) {
    say('refused', error.message)
  }
`

/** Folders for the suite in which this is called. */
export function keepFolders() {
  let root = ''
  let usedDir: string | null = null
  const servers: ChildProcess[] = []

  before(async () => {
    // Made with mode 0700: if root runs this, PostgreSQL's user may not enter it.
    root = await mkdtemp(join(tmpdir(), 'embedded database '))
  })

  after(async () => {
    for (const server of servers) if (server.exitCode === null) server.kill('SIGKILL')
    for (const name of await readdir(root)) await killPostmaster(join(root, name))
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })

  const newDataDir = () => join(root, randomBytes(4).toString('hex'))

  /** A folder that has had its first start, for tests that are not about the first start. */
  async function usedDataDir(): Promise<string> {
    if (usedDir === null) {
      usedDir = newDataDir()
      await (await startEmbeddedDatabase({ dataDir: usedDir, log: silent })).close()
    }
    const dataDir = newDataDir()
    // `-p` keeps the owners, which may be PostgreSQL's own user.
    await promisify(execFile)('cp', ['-Rp', usedDir, dataDir])
    return dataDir
  }

  function startServer(dataDir: string) {
    const { options, url } = importable(new URL('../src/platform/embedded-database.ts', import.meta.url))
    const child = spawn(process.execPath, [...options, '--input-type=module', '--eval', SERVER_PROGRAM], {
      cwd: import.meta.dirname,
      env: { ...process.env, TEST_DATA_DIR: dataDir, MODULE_URL: url.href },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    servers.push(child)
    const heard: { kind: string; text: string }[] = []
    createInterface({ input: child.stdout }).on('line', (line) => heard.push(JSON.parse(line)))
    const hear = async (...kinds: string[]) => {
      const deadline = Date.now() + STEP_LIMIT_MS
      while (Date.now() < deadline) {
        const found = heard.find((message) => kinds.includes(message.kind))
        if (found) return found
        await sleep(20)
      }
      throw new Error(`the server said none of ${kinds.join(', ')}, only ${JSON.stringify(heard)}`)
    }
    const kill = async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    return { child, hear, kill }
  }

  return { newDataDir, usedDataDir, startServer }
}

export async function query(url: string, sql: string, values: unknown[] = []) {
  const client = new pg.Client(url)
  client.on('error', silent)
  await client.connect()
  try {
    return await client.query(sql, values)
  } finally {
    await client.end()
  }
}

export async function count(url: string): Promise<number> {
  const { rows } = await query(url, 'select count(*)::int as count from kept')
  return rows[0].count
}

export async function readPostmasterPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return text ? Number.parseInt(text, 10) : undefined
}

export async function killPostmaster(dataDir: string): Promise<void> {
  const pid = await readPostmasterPid(dataDir)
  if (!pid || pid === process.pid) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
