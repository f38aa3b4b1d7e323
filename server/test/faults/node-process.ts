/** One process of the service: it can be killed, paused and restarted, and its clock can be moved. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Programs, root, watched } from './programs.ts'

const startMs = 240_000

type NodeState = 'running' | 'paused' | 'down'

/** If it ends without being told to, that is a failure. */
export class NodeProcess {
  readonly name: string
  readonly port: number
  readonly #program: string
  readonly #environment: Readonly<Record<string, string>>
  readonly #clockFile: string
  readonly output: string[] = []
  readonly ownEnds: string[] = []
  state: NodeState = 'down'
  /** True while it is being killed, paused or started, so that only one of these happens at a time. */
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

  /** Takes effect at once if it runs, otherwise at its next start. */
  moveClock(byMs: number): void {
    writeFileSync(this.#clockFile, String(byMs))
    if (this.state === 'running') this.#child?.kill('SIGUSR2')
  }

  /** Retries while it cannot start, because the database may be down. */
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

  /** Whether it reports that it can serve. */
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

/** Loaded before the service: shifts the clock by the value in a file, which is read again on a signal. */
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
