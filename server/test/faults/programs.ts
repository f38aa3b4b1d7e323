/** The programs of a run: nodes that are killed, paused and started again, PostgreSQL, the simulator. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { build } from 'esbuild'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/platform/embedded-database.ts'
import { TLS_CERTIFICATE } from '../channels/loopback-tls.ts'

// From the sources and from a run's plain copy of them alike.
const root = process.cwd()
const startMs = 240_000

/** What runs must not outlive us. */
const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

function watched<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

export interface Programs {
  readonly service: string
  readonly simulator: string
  /** The file of what the endpoint's certificate is checked with. */
  readonly certificate: string
  /** The file that says how far a node's clock is off. */
  readonly clockOf: (name: string) => string
  readonly remove: () => Promise<void>
}

/** As the build makes them, in folders of their own beside their data. */
export async function buildPrograms(): Promise<Programs> {
  const name = `faults-${process.pid}-${randomBytes(3).toString('hex')}`
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
  const certificate = join(root, 'server/.cache', `${name}.pem`)
  writeFileSync(certificate, TLS_CERTIFICATE)
  const [service = '', simulator = ''] = files
  files.push(certificate)
  return {
    service,
    simulator,
    certificate,
    clockOf: (node) => {
      const file = join(root, 'server/.cache', `${name}-${node}.clock`)
      files.push(file)
      return file
    },
    remove: async () => {
      for (const file of files) await rm(file, { force: true })
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (!address || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

export type NodeState = 'running' | 'paused' | 'down'

/** One process of the service. What ends it, but for us, is a fault of its own. */
export class NodeProcess {
  readonly name: string
  readonly port: number
  readonly #program: string
  readonly #environment: Readonly<Record<string, string>>
  readonly #clockFile: string
  readonly output: string[] = []
  readonly ownEnds: string[] = []
  state: NodeState = 'down'
  /** It is being killed, paused or started: one thing at a time. */
  isTaken = false
  #child: ChildProcess | null = null

  constructor(name: string, port: number, programs: Programs, environment: Readonly<Record<string, string>>) {
    this.name = name
    this.port = port
    this.#program = programs.service
    this.#environment = environment
    this.#clockFile = programs.clockOf(name)
    writeFileSync(this.#clockFile, '0')
  }

  /** At once if it runs, else from its start on. */
  moveClock(byMs: number): void {
    writeFileSync(this.#clockFile, String(byMs))
    if (this.state === 'running') this.#child?.kill('SIGUSR2')
  }

  /** Tried again while it cannot start: the database may be away. */
  async start(): Promise<void> {
    const untilMs = Date.now() + startMs
    while (Date.now() < untilMs) {
      if (await this.#tryStart()) return
      await pause(500)
    }
    throw new Error(`${this.name} does not start:\n${this.output.slice(-20).join('')}`)
  }

  async #tryStart(): Promise<boolean> {
    const child = watched(
      spawn(process.execPath, ['--import', withClockOf(this.#clockFile), this.#program, 'start'], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          PORT: String(this.port),
          ...this.#environment,
        },
      }),
    )
    this.#child = child
    this.state = 'running'
    let isReady = false
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output.push(text)
        if (this.output.length > 2_000) this.output.splice(0, 1_000)
      })
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#child = null
      this.state = 'down'
      if (isReady && signal === null) this.ownEnds.push(`${this.name} ended by itself (${code})`)
    })
    while (this.#child === child) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null)
      if (answer) {
        isReady = true
        return true
      }
      await pause(100)
    }
    return false
  }

  /** Whether it says that it can serve. */
  async isReady(): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null)
    return answer?.status === 200
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    this.resume()
    await this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child) return
    this.#child = null
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await exited
    this.state = 'down'
  }

  pause(): void {
    if (this.state !== 'running') return
    this.#child?.kill('SIGSTOP')
    this.state = 'paused'
  }

  resume(): void {
    if (this.state !== 'paused') return
    this.#child?.kill('SIGCONT')
    this.state = 'running'
  }
}

/** Loaded before anything of the service: its clock is off by what a file says, which is read again when it is told to. */
const withClockOf = (file: string) =>
  `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs'
  const read = () => Number(readFileSync(${JSON.stringify(file)}, 'utf8'))
  let byMs = read()
  process.on('SIGUSR2', () => { byMs = read() })
  globalThis.Date = new Proxy(Date, {
    construct: (real, given, target) => Reflect.construct(real, given.length === 0 ? [real.now() + byMs] : given, target),
    get: (real, name) => (name === 'now' ? () => real.now() + byMs : Reflect.get(real, name)),
  })`)}`

export interface Postgres extends EmbeddedDatabase {
  /** It is started again by itself. */
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
  /** Receipts that nobody has taken, however often they were brought. */
  readonly givenUp: () => number
  readonly close: () => void
}

export const telegramToken = 'a-token-of-the-simulator'
/** What the simulator says of it. */
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
