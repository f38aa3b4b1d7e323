/** What places of an app owed over time, and what they held back. */
import type { Database } from '../../../../platform/database.ts'
import type { Keyring } from '../../../../platform/keyring.ts'
import { assertForward, validationError } from '../../../answers/index.ts'
import { type AppRef, getApp } from '../../../tenancy/index.ts'
import { labelContext } from '../blocks/block-store.ts'
import { levelRules, type PlaceLevel } from '../levels.ts'
import { type HistoryStep, historyDays, readClock, readHistory, slotSeconds } from './history-store.ts'

export interface HistoryRequest {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

interface HistoryPoint {
  readonly atMs: number
  readonly debt: number
  readonly threshold: number
  readonly held: number
  readonly watched: number
}

interface PlaceHistory {
  readonly level: PlaceLevel
  readonly label: string
  readonly held: number
  readonly watched: number
  /** What the held and watched messages would have cost. */
  readonly heldMicros: bigint
  readonly watchedMicros: bigint
  /** Oldest first; steps in which the place owed next to nothing are left out. */
  readonly points: readonly HistoryPoint[]
}

export interface History {
  readonly fromMs: number
  readonly toMs: number
  readonly stepSeconds: number
  /** The places that held back most come first. */
  readonly places: readonly PlaceHistory[]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The steps of the chart, as fine as fits on a screen. */
const steps = [
  { upToMs: 6 * hourMs, seconds: slotSeconds },
  { upToMs: 2 * dayMs, seconds: 3 * slotSeconds },
  { upToMs: Number.POSITIVE_INFINITY, seconds: 12 * slotSeconds },
] as const

export async function lookUpHistory(
  { database, keyring }: { readonly database: Database; readonly keyring: () => Keyring },
  app: AppRef,
  request: HistoryRequest,
): Promise<History> {
  const { companyId, appId } = await getApp({ database }, app)
  const tenant = database.of(companyId)
  const nowMs = await readClock(tenant)
  const range = rangeOf(request, nowMs)
  const places = new Map<string, HistoryStep[]>()
  for (const row of await readHistory(tenant, appId, range))
    places.set(row.place, [...(places.get(row.place) ?? []), row])
  const open = (label: string) => keyring().open(Buffer.from(label, 'base64url'), labelContext)
  return {
    ...range,
    places: [...places.values()]
      .flatMap(([first, ...others]) => (first ? historyOf([first, ...others], range, nowMs, open) : []))
      .toSorted((one, other) => other.held + other.watched - one.held - one.watched),
  }
}

function rangeOf({ from, to }: HistoryRequest, nowMs: number) {
  const endMs = to === undefined ? nowMs : Date.parse(to)
  const beginMs = from === undefined ? endMs - dayMs : Date.parse(from)
  const refuse = (message: string) => validationError([{ path: 'from', message }])
  assertForward(beginMs, endMs)
  if (endMs - beginMs > (historyDays + 1) * dayMs)
    throw refuse(`must be at most ${historyDays} days before to`)
  const stepSeconds = steps.find(({ upToMs }) => endMs - beginMs <= upToMs)?.seconds ?? slotSeconds
  const stepMs = stepSeconds * 1_000
  return {
    fromMs: Math.floor(beginMs / stepMs) * stepMs,
    toMs: Math.ceil(endMs / stepMs) * stepMs,
    stepSeconds,
  }
}

function historyOf(
  rows: readonly [HistoryStep, ...HistoryStep[]],
  range: { readonly toMs: number; readonly stepSeconds: number },
  nowMs: number,
  open: (label: string) => string,
): PlaceHistory {
  const [{ level, label }] = rows
  const endMs = Math.min(range.toMs, nowMs)
  const points = rows.flatMap((row, index) => [
    pointOf(row),
    ...fading(row, rows[index + 1]?.at.getTime() ?? endMs, range.stepSeconds * 1_000),
  ])
  const sum = (of: (row: HistoryStep) => number) => rows.reduce((total, row) => total + of(row), 0)
  return {
    level,
    label: open(label),
    held: sum(({ held }) => held),
    watched: sum(({ watched }) => watched),
    heldMicros: rows.reduce((total, { heldMicros }) => total + heldMicros, 0n),
    watchedMicros: rows.reduce((total, { watchedMicros }) => total + watchedMicros, 0n),
    points,
  }
}

const pointOf = ({ at, debt, threshold, held, watched }: HistoryStep): HistoryPoint => ({
  atMs: at.getTime(),
  debt,
  threshold,
  held,
  watched,
})

/** The share of its threshold below which a place has nothing to show. */
const visibleShare = 0.02

/** Nothing is noted while nothing is sent, so the decay of a debt is filled in. */
function* fading({ at, debt, threshold, level }: HistoryStep, untilMs: number, stepMs: number) {
  const { halfLifeMs } = levelRules[level]
  for (let atMs = at.getTime() + stepMs; atMs < untilMs; atMs += stepMs) {
    const left = debt * 0.5 ** ((atMs - at.getTime()) / halfLifeMs)
    if (left < visibleShare * threshold) return
    yield { atMs, debt: left, threshold, held: 0, watched: 0 }
  }
}
