/** The service as a user starts it: one process with free ports and its own folder. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventually } from './wait.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'server/dist/cli.js')
const readyMs = 240_000
const stopMs = 120_000
const lastLineOfGreeting = 'Ctrl-C stops it.'

export interface Ports {
  readonly http: number
  readonly simulator: number
  readonly smtp: number
  readonly smpp: number
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** One start of the program, whether or not it succeeds. */
export interface Run {
  readonly pid: number
  readonly exit: Promise<Exit>
  /** Everything printed so far, on both streams. */
  readonly output: () => string
  readonly signal: (name: NodeJS.Signals) => void
  /** Signals the whole process group, as Ctrl-C in a terminal does. */
  readonly signalGroup: (name: NodeJS.Signals) => void
}

export interface RunningService extends Run {
  readonly dataDir: string
  readonly ports: Ports
  readonly url: string
  readonly simulatorUrl: string
  readonly adminToken: string
  readonly firstApp: FirstApp
  /** Stops it as Ctrl-C does; resolves when the process has ended. */
  readonly stop: () => Promise<Exit>
  /** Kills this one process with SIGKILL. */
  readonly kill: () => Promise<void>
}

export interface FirstApp {
  readonly company_id: string
  readonly app_id: string
  readonly server_key: string
  readonly publishable_key: string
}

/** The test run may name a faster place for databases. */
export const makeNewDataDir = () =>
  mkdtemp(join(process.env.FOLDER_FOR_DATABASES ?? tmpdir(), 'countersign-e2e-'))

/** A folder as a first start leaves it: a copy of the prepared one, if the test run has made one. */
export async function makeDataDir(): Promise<string> {
  const dataDir = await makeNewDataDir()
  const prepared = process.env.PREPARED_DATA_DIR
  // `-p` keeps the owners: PostgreSQL's files may belong to its own user.
  if (prepared) await promisify(execFile)('cp', ['-Rp', `${prepared}/.`, dataDir])
  return dataDir
}

/** Starts and stops a service on a new folder, which is then copied. */
export async function prepareDataDir(): Promise<string> {
  const dataDir = await makeNewDataDir()
  const running = await start({ dataDir })
  const exit = await running.stop()
  if (exit.code !== 0) throw new Error(`the service did not stop in order:\n${running.output()}`)
  return dataDir
}

export const removeDataDir = (dataDir: string) => rm(dataDir, { recursive: true, force: true, maxRetries: 5 })

/** Below the range for outgoing connections, so that a free port is still free a second later. */
const [lowestPort, highestPort] = [10_000, 32_000]

export async function findPorts(): Promise<Ports> {
  const held: HeldPort[] = []
  while (held.length < 4) {
    const port = await tryPort(randomInt(lowestPort, highestPort))
    if (port) held.push(port)
  }
  const [http = 0, simulator = 0, smtp = 0, smpp = 0] = held.map(({ port }) => port)
  await Promise.all(held.map(({ release }) => release()))
  return { http, simulator, smtp, smpp }
}

interface HeldPort {
  readonly port: number
  readonly release: () => Promise<void>
}

/** A port that stays taken until it is released. */
export async function holdPort(): Promise<HeldPort> {
  const { http } = await findPorts()
  return (await bindPort(http)) ?? holdPort()
}

const tryPort = async (port: number) => (claimPort(port) ? bindPort(port) : null)

function bindPort(port: number): Promise<HeldPort | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () =>
      resolve({ port, release: () => new Promise((done) => server.close(() => done())) }),
    )
  })
}

const claims = join(tmpdir(), `countersign-ports-${process.getuid?.() ?? 0}`)
const claimed = new Set<string>()
process.once('exit', () => {
  for (const path of claimed) rmSync(path, { force: true })
})

/** False if another test file has claimed the port: files run in parallel, and a service binds its port only later. */
function claimPort(port: number): boolean {
  const path = join(claims, String(port))
  try {
    mkdirSync(claims, { recursive: true })
    writeFileSync(path, '', { flag: 'wx' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
  claimed.add(path)
  return true
}

const unfinished = new Set<ChildProcess>()
// Processes that a test leaves running must not outlive the tests.
process.once('exit', () => {
  for (const child of unfinished) child.kill('SIGTERM')
})
// A signal alone would end this process without the handler above.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

/** Ends the process with the tests, if it still runs then. */
export function endWithTests(child: ChildProcess): void {
  unfinished.add(child)
  child.once('exit', () => unfinished.delete(child))
}

type Command = readonly [program: string, ...args: string[]]
const built: Command = [process.execPath, program, 'start']
/** As people start it: the service runs below npm, in the same process group. */
export const npmStart: Command = ['npm', 'start']

export const run = (
  dataDir: string,
  ports: Ports,
  environment: Readonly<Record<string, string>> = {},
  command = built,
): Run =>
  runCommand(command, {
    DATA_DIR: dataDir,
    PORT: String(ports.http),
    SIMULATOR_PORT: String(ports.simulator),
    SIMULATOR_SMTP_PORT: String(ports.smtp),
    SIMULATOR_SMPP_PORT: String(ports.smpp),
    ...environment,
  })

export function runCommand(
  [name, ...args]: Command,
  environment: Readonly<Record<string, string>> = {},
): Run {
  const child = spawn(name, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  })
  endWithTests(child)
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => printed.push(text))
  }
  return {
    pid: child.pid ?? -1,
    exit: exitOf(child),
    output: () => printed.join(''),
    signal: (name) => child.kill(name),
    signalGroup: (name) => process.kill(-(child.pid ?? 0), name),
  }
}

// `close` comes after `exit`, when all output has been read.
const exitOf = (child: ChildProcess) =>
  new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))

export async function start(
  options: {
    readonly dataDir?: string
    readonly ports?: Ports
    readonly environment?: Readonly<Record<string, string>>
    readonly command?: Command
  } = {},
): Promise<RunningService> {
  const dataDir = options.dataDir ?? (await makeDataDir())
  const ports = options.ports ?? (await findPorts())
  const started = run(dataDir, ports, options.environment, options.command)
  let exit: Exit | null = null
  void started.exit.then((ended) => {
    exit = ended
  })
  const url = `http://127.0.0.1:${ports.http}`
  await eventually(
    'the service is ready',
    async () => {
      if (exit !== null) throw new Error(`the service ended while starting:\n${started.output()}`)
      if (!started.output().includes(lastLineOfGreeting)) return false
      return (await fetch(`${url}/readyz`)).status === 200
    },
    Boolean,
    readyMs,
  )
  return {
    ...started,
    dataDir,
    ports,
    url,
    simulatorUrl: `http://127.0.0.1:${ports.simulator}`,
    adminToken: (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim(),
    firstApp: JSON.parse(await readFile(join(dataDir, 'first-app.json'), 'utf8')),
    stop: async () => {
      started.signal('SIGTERM')
      return ended(started)
    },
    kill: async () => {
      started.signal('SIGKILL')
      await eventually('the killed process is gone', () => !isAlive(started.pid), Boolean)
    },
  }
}

export async function ended(started: Run): Promise<Exit> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`still running after ${stopMs} ms:\n${started.output()}`))
    timer = setTimeout(fail, stopMs)
  })
  try {
    return await Promise.race([started.exit, late])
  } finally {
    clearTimeout(timer)
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
