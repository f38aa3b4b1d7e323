/** What a benchmark runs on: a PostgreSQL with fsync in its own folder, and the built service. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openDatabase } from '../../server/src/platform/database.ts'
import { startEmbeddedDatabase } from '../../server/src/platform/embedded-database.ts'
import { findFreePort } from '../../server/src/platform/free-port.ts'
import { migrate } from '../../server/src/platform/migrate.ts'
import { makePartitions } from '../../server/src/platform/partitions.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'server/dist/cli.js')
/** The same flags as `npm start` and the image use. */
const flags = ['--max-semi-space-size=64']
const template = 'bench_template'
const lastLineOfGreeting = 'Ctrl-C stops it.'
const readyMs = 60_000

export interface Service {
  readonly port: number
  readonly pid: number
  readonly adminToken: string
  readonly databaseUrl: string
  /** Kills it at once, since nothing of a measured service is kept. */
  readonly kill: () => Promise<void>
  readonly hasEnded: () => boolean
}

export interface Stage {
  readonly postmaster: number
  /** Creates a database: with our tables and partitions, or empty. */
  readonly makeDatabase: (options?: { readonly isEmpty?: boolean }) => Promise<string>
  readonly dropDatabase: (url: string) => Promise<void>
  readonly startService: (
    databaseUrl: string,
    environment?: Readonly<Record<string, string>>,
  ) => Promise<Service>
  /** Ends the services that a failed scenario has left running. */
  readonly endServices: () => void
  /** Ends this child process when the stage closes. */
  readonly adopt: (child: ChildProcess) => void
  readonly close: () => Promise<void>
}

export async function openStage(signal: AbortSignal): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const children = new Set<ChildProcess>()
  const endAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', endAll)
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  const embedded = await startEmbeddedDatabase({ dataDir: folder, log: () => {}, signal }).catch(
    async (error: unknown) => {
      await removeFolder()
      throw error
    },
  )
  const secrets = {
    MASTER_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: randomBytes(24).toString('hex'),
  }
  const adopt = (child: ChildProcess) => {
    children.add(child)
    child.once('exit', () => children.delete(child))
  }
  let count = 0
  const stage: Stage = {
    postmaster: Number((await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]),
    adopt,
    endServices: endAll,
    makeDatabase: async ({ isEmpty = false } = {}) => {
      const name = `bench_${++count}`
      await query(embedded.url, `create database ${name}${isEmpty ? '' : ` template ${template}`}`)
      return named(embedded.url, name)
    },
    dropDatabase: async (url) => {
      await query(embedded.url, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
    },
    startService: async (databaseUrl, environment = {}) => {
      const port = await findFreePort('127.0.0.1')
      const child = spawn(process.execPath, [...flags, program, 'start'], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...surroundings(), ...secrets, ...addresses(databaseUrl, port, folder), ...environment },
      })
      adopt(child)
      await greetingOf(child)
      return {
        port,
        pid: child.pid ?? 0,
        adminToken: secrets.ADMIN_TOKEN,
        databaseUrl,
        kill: () => endOf(child),
        hasEnded: () => hasEnded(child),
      }
    },
    close: async () => {
      endAll()
      process.off('exit', endAll)
      await embedded.close()
      await removeFolder()
    },
  }
  await makeTemplate(embedded.url).catch(async (error: unknown) => {
    await stage.close()
    throw error
  })
  return stage
}

const surroundings = () => ({ PATH: process.env.PATH, HOME: process.env.HOME })

const addresses = (databaseUrl: string, port: number, folder: string) => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: folder,
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  LOG_LEVEL: 'warn',
  // No message goes through the simulator here; while it is on, webhooks may use http to this machine.
  SIMULATOR: 'on',
  SIMULATOR_PORT: '0',
  SIMULATOR_SMTP_PORT: '0',
  SIMULATOR_SMPP_PORT: '0',
})

function greetingOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const fail = (why: string) => reject(new Error(`the service ${why}:\n${printed}`))
    const timer = setTimeout(fail, readyMs, 'did not start in time')
    child.once('exit', () => fail('ended while starting'))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      // What it logs after the greeting is passed on to stderr.
      if (printed.includes(lastLineOfGreeting)) return void process.stderr.write(text)
      printed += text
      if (!printed.includes(lastLineOfGreeting)) return
      clearTimeout(timer)
      resolve()
    })
  })
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

function endOf(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

const named = (url: string, name: string) => {
  const copy = new URL(url)
  copy.pathname = `/${name}`
  return copy.href
}

async function makeTemplate(serverUrl: string): Promise<void> {
  await query(serverUrl, `create database ${template}`)
  const url = named(serverUrl, template)
  await migrate(url, join(root, 'server/migrations'), () => {})
  const database = openDatabase(url, 1, () => {})
  await makePartitions(database).finally(database.close)
}

/** Runs one statement on its own connection. */
export async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
