/** The programs of a run: the service that nodes are started from, PostgreSQL, and the simulator. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/platform/embedded-database.ts'
import { TLS_CERTIFICATE } from '../channels/loopback-tls.ts'

// The working directory, because this file may run from the sources or from a compiled copy.
export const root = process.cwd()

/** Child processes must not outlive this process. */
const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

export function watched<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

export interface Programs {
  readonly service: string
  readonly simulator: string
  /** The file with the certificate that the endpoint's is checked against. */
  readonly certificate: string
  /** The file that says how far a node's clock is off. */
  readonly clockOf: (name: string) => string
  readonly remove: () => Promise<void>
}

/** The built programs if the test run has built them, otherwise built here. */
export async function findPrograms(): Promise<Programs> {
  const name = `faults-${process.pid}-${randomBytes(3).toString('hex')}`
  const cache = join(root, 'server/.cache')
  mkdirSync(cache, { recursive: true })
  const built = process.env.BUILT_CLI
  const made = built ? [] : await buildPrograms(name)
  const [service = '', simulator = ''] = built ? [built, join(root, 'simulator/dist/main.js')] : made
  const certificate = join(cache, `${name}.pem`)
  writeFileSync(certificate, TLS_CERTIFICATE)
  const files = [...made, certificate]
  return {
    service,
    simulator,
    certificate,
    clockOf: (node) => {
      const file = join(cache, `${name}-${node}.clock`)
      files.push(file)
      return file
    },
    remove: async () => {
      for (const file of files) await rm(file, { force: true })
    },
  }
}

/** Bundles the service and the simulator, each into `.cache` of its package, from where it finds its files. */
async function buildPrograms(name: string): Promise<string[]> {
  const outputs = ['server/src/cli.ts', 'simulator/src/main.ts'].map((entry) => ({
    entry,
    folder: join(root, entry.split('/')[0] ?? '', '.cache'),
  }))
  const files: string[] = []
  for (const { entry, folder } of outputs) {
    mkdirSync(folder, { recursive: true })
    const outfile = join(folder, `${name}.mjs`)
    files.push(outfile)
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      packages: 'external',
      alias: { '@countersign/contract': './contract/src/index.ts' },
      logLevel: 'error',
    })
  }
  return files
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (!address || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

export interface Postgres extends EmbeddedDatabase {
  /** Stops it; it is started again automatically. */
  readonly restart: (how: 'fast' | 'immediate') => Promise<void>
}

export async function startPostgres(): Promise<Postgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-faults-'))
  const database = await startEmbeddedDatabase({ dataDir, log: () => {} })
  return {
    url: database.url,
    restart: async (how) => {
      const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
      const pid = Number.parseInt(text, 10)
      if (pid > 0) process.kill(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    },
    close: async () => {
      await database.close()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export interface SimulatorProcess {
  readonly url: string
  readonly httpPort: number
  readonly smppPort: number
  /** How many receipts the simulator gave up on, because nobody acknowledged them. */
  readonly givenUp: () => number
  readonly close: () => void
}

export const telegramToken = 'a-token-of-the-simulator'
/** What the simulator logs when it gives up on a receipt. */
const receiptGivenUp = 'no one took a receipt'
export const smppAccount = { system_id: 'countersign', password: 'secret12' }

export async function startSimulator(program: string): Promise<SimulatorProcess> {
  const child = watched(
    fork(program, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        SIMULATOR_PORT: '0',
        SIMULATOR_SMTP_PORT: '0',
        SIMULATOR_SMPP_PORT: '0',
        SIMULATOR_WHATSAPP_WEBHOOK_URL: 'http://127.0.0.1:9/',
        SIMULATOR_WHATSAPP_APP_SECRET: 'unused',
        SIMULATOR_WHATSAPP_ACCESS_TOKEN: 'unused',
        SIMULATOR_WHATSAPP_VERIFY_TOKEN: 'unused',
        SIMULATOR_WHATSAPP_PHONE_NUMBER_ID: '1',
        SIMULATOR_WHATSAPP_NUMBER: '+15550001111',
        SIMULATOR_TELEGRAM_TOKEN: telegramToken,
        SIMULATOR_SMPP_SYSTEM_ID: smppAccount.system_id,
        SIMULATOR_SMPP_PASSWORD: smppAccount.password,
        SIMULATOR_SMTP_USER: 'unused',
        SIMULATOR_SMTP_PASSWORD: 'unused',
      },
    }),
  )
  let givenUp = 0
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text)
    givenUp += text.split(receiptGivenUp).length - 1
  })
  const ready = await new Promise<{ httpPort: number; smppPort: number }>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the simulator ended while starting')))
    child.once('message', (message) => resolve(message as { httpPort: number; smppPort: number }))
  })
  return {
    url: `http://127.0.0.1:${ready.httpPort}`,
    ...ready,
    givenUp: () => givenUp,
    close: () => child.kill('SIGTERM'),
  }
}
