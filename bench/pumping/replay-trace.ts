/** Runs a trace through the service's rules: writes a line per decision, and sums up the sends of each label. */
import { open, readFile } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { AppError } from '@countersign/contract'
import { Waiting } from './replay.ts'
import type { Outcome, Service } from './surroundings.ts'
import { FileError, type IndexedLine, readTrace, type TraceLine } from './trace.ts'

export interface ReplayOptions {
  readonly decisionsFile: string | null
  readonly countries: readonly string[]
  readonly settingsFile: string | null
  readonly ipSourcesFile: string | null
  /** Uses the whole service on a PostgreSQL, one call after the other. */
  readonly isOnDatabase: boolean
  /** Ends the replay early, with the decisions made so far. */
  readonly signal: AbortSignal
}

type OnOutcome = (line: IndexedLine, outcome: Outcome) => void

export async function replayTrace(file: string, options: ReplayOptions): Promise<void> {
  const settings = await readSettings(options)
  // The whole file is read once before anything starts, so that a mistake in its last line is reported at once.
  let total = 0
  for await (const _ of readTrace(file)) total++
  const decisions = options.decisionsFile === null ? null : await open(options.decisionsFile, 'w')
  const out = decisions?.createWriteStream()
  // Started before the replay, so that an unreadable file is reported at once.
  const service = await startFor(options, settings).catch(explained)
  const tallies = new Map<string, Tally>()
  const progress = reportProgress(total)
  try {
    await replayLines(readTrace(file), service, options.signal, ({ index, line }, outcome) => {
      tally(tallies, line, outcome)
      out?.write(`${JSON.stringify({ index, outcome: outcome.outcome, scope: outcome.scope })}\n`)
      progress.step()
    })
  } finally {
    progress.end()
    await service.close()
    out?.end()
    if (out) await finished(out)
  }
  console.log(textOf(tallies))
}

async function startFor(
  { isOnDatabase, ipSourcesFile }: ReplayOptions,
  settings: Record<string, unknown>,
): Promise<Service> {
  const options = { settings, ipSourcesFile }
  if (isOnDatabase) return (await import('./service.ts')).startService(options)
  return (await import('./core-service.ts')).startCoreService(options)
}

async function readSettings({ settingsFile, countries }: ReplayOptions): Promise<Record<string, unknown>> {
  const given = settingsFile === null ? {} : await readObject(settingsFile)
  const pumping = isObject(given.pumping) ? given.pumping : {}
  const before = Array.isArray(pumping.declared_countries) ? pumping.declared_countries : []
  const declared = [...new Set([...before, ...countries])]
  return countries.length === 0 ? given : { ...given, pumping: { ...pumping, declared_countries: declared } }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

async function readObject(file: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new FileError(`${file}: is not a JSON object.`)
}

/** Reports settings that the service refuses as an error in the file. */
function explained(error: unknown): never {
  throw error instanceof AppError ? new FileError(`The settings: ${error.message}`) : error
}

/** An approval happens only if its send went out. */
export async function replayLines(
  lines: AsyncIterable<IndexedLine> | Iterable<IndexedLine>,
  service: Pick<Service, 'send' | 'approve'>,
  signal: AbortSignal,
  onOutcome: OnOutcome,
): Promise<void> {
  const waiting = new Waiting<{ readonly t: number; readonly otpId: string }>()
  let first: number | null = null
  for await (const indexed of lines) {
    if (signal.aborted) return
    const { t: at, recipient, client_ip, approves_after } = indexed.line
    first ??= at
    const t = at - first
    for (const due of waiting.until(t)) await service.approve(due.t, due.otpId)
    const outcome = await service.send(t, recipient, client_ip ?? null)
    if (outcome.outcome === 'sent' && outcome.otpId !== null && typeof approves_after === 'number')
      waiting.add({ t: t + approves_after, otpId: outcome.otpId })
    onOutcome(indexed, outcome)
  }
}

const progressEveryMs = 5_000

/** Goes to stderr, so that the table can be piped. */
function reportProgress(total: number) {
  const startMs = performance.now()
  let done = 0
  const timer = setInterval(() => {
    const perSecond = done / ((performance.now() - startMs) / 1000)
    const left = Math.ceil((total - done) / Math.max(perSecond, 1))
    console.error(`${done} of ${total} sends, ${Math.round(perSecond)} a second, about ${left} s left`)
  }, progressEveryMs)
  return {
    step: () => {
      done++
    },
    end: () => clearInterval(timer),
  }
}

interface Tally {
  sends: number
  stopped: number
  rerouted: number
  readonly firstAt: number
  firstStopAt: number | null
  readonly scopes: Map<string, number>
}

function tally(tallies: Map<string, Tally>, { label, t }: TraceLine, { outcome, scope }: Outcome): void {
  const name = label ?? '(no label)'
  const counted = tallies.get(name) ?? {
    sends: 0,
    stopped: 0,
    rerouted: 0,
    firstAt: t,
    firstStopAt: null,
    scopes: new Map(),
  }
  tallies.set(name, counted)
  counted.sends++
  if (outcome === 'sent') return
  counted.firstStopAt ??= t
  counted[outcome]++
  if (scope !== null) counted.scopes.set(scope, (counted.scopes.get(scope) ?? 0) + 1)
}

const header = ['label', 'sends', 'stopped', 'rerouted', 'first stop after', 'by']

function textOf(tallies: ReadonlyMap<string, Tally>): string {
  if (tallies.size === 0) return 'No sends.'
  const rows = [...tallies].map(([label, { sends, stopped, rerouted, firstAt, firstStopAt, scopes }]) => [
    label,
    ...[sends, stopped, rerouted].map(String),
    firstStopAt === null ? 'never' : `${(firstStopAt - firstAt).toFixed(1)} s`,
    [...scopes].map(([scope, count]) => `${scope} ${count}`).join(', '),
  ])
  return [header, ...rows]
    .map(([label = '', sends = '', stopped = '', rerouted = '', first = '', by = '']) =>
      `${label.padEnd(16)}${[sends, stopped, rerouted].map((cell) => cell.padStart(10)).join('')}${first.padStart(19)}   ${by}`.trimEnd(),
    )
    .join('\n')
}
