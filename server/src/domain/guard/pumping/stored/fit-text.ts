/** What is normal for an app, as it is stored. There is one row for each app, so JSON is quick enough. */
import { type Fit, type Misfit, noFit } from '../fit/fit.ts'
import { type Hours, noHours } from '../fit/hours.ts'
import type { Tally } from '../fit/tally.ts'
import { keptForeverMs } from './debt-text.ts'

/** The names are short, since a row may have dozens of these. */
interface StoredTally {
  /** The tally's `numbers`. */
  readonly n: number
  /** The tally's `approved`. */
  readonly a: number
}

interface StoredHours {
  /** The day, and its counts. */
  readonly d: number
  readonly t: readonly number[]
  /** How many days before it were learnt from, their mean and their roots. */
  readonly n: number
  readonly m: number
  readonly r: readonly number[]
}

interface StoredFit {
  readonly at: number
  readonly since: number
  readonly strangers: StoredTally
  readonly known: StoredTally
  readonly countries: Readonly<Record<string, StoredTally & { readonly since: number }>>
  /** Slots of time, and how many sends of each are not approved yet. */
  readonly pending: readonly { readonly s: number; readonly u: number }[]
  readonly asked: number
  readonly sent: number
  readonly recent: number
  readonly scouts: StoredTally
  readonly hours?: StoredHours
  readonly learnt?: number
  readonly misfit?: number
  /** What showed the misfit. */
  readonly shown?: StoredTally & { readonly by: Misfit['by']; readonly e: number }
  readonly simulated?: true
}

const rounded = (value: number) => Math.round(value * 10_000) / 10_000
const encodeTally = ({ numbers, approved }: Tally): StoredTally => ({
  n: rounded(numbers),
  a: rounded(approved),
})
const decodeTally = ({ n, a }: StoredTally): Tally => ({ numbers: n, approved: a })
const encodeHours = ({ day, today, days, mean, roots }: Hours): StoredHours => ({
  d: day,
  t: today,
  n: days,
  m: rounded(mean),
  r: roots.map((root) => Math.round(root * 100) / 100),
})
const decodeHours = ({ d, t, n, m, r }: StoredHours): Hours => ({
  day: d,
  today: t,
  days: n,
  mean: m,
  roots: r,
})
/** A country with less than this left is dropped. */
const negligibleNumbers = 0.01

export function encodeFit(fit: Fit): string {
  const stored: StoredFit = {
    at: fit.atMs,
    since: fit.sinceMs,
    strangers: encodeTally(fit.strangers),
    known: encodeTally(fit.known),
    countries: Object.fromEntries(
      [...fit.countries].flatMap(([region, tally]) =>
        tally.numbers + tally.approved < negligibleNumbers
          ? []
          : [[region, { ...encodeTally(tally), since: tally.sinceMs }]],
      ),
    ),
    pending: fit.pending.map(([slot, unapproved]) => ({ s: slot, u: unapproved })),
    asked: rounded(fit.asked),
    sent: rounded(fit.sent),
    recent: rounded(fit.recent),
    scouts: encodeTally(fit.scouts),
    ...(fit.hours.day > 0 && { hours: encodeHours(fit.hours) }),
    ...(fit.learntAtMs > 0 && { learnt: fit.learntAtMs }),
    ...(fit.misfitAtMs > 0 && { misfit: fit.misfitAtMs }),
    ...(fit.misfit && {
      shown: { by: fit.misfit.by, ...encodeTally(fit.misfit), e: rounded(fit.misfit.expected) },
    }),
    ...(fit.isSimulated && { simulated: true }),
  }
  return JSON.stringify(stored)
}

export function decodeFit(text: string): Fit {
  const stored = JSON.parse(text) as StoredFit
  return {
    ...noFit,
    atMs: stored.at,
    sinceMs: stored.since,
    strangers: decodeTally(stored.strangers),
    known: decodeTally(stored.known),
    countries: new Map(
      Object.entries(stored.countries).map(([region, tally]) => [
        region,
        { ...decodeTally(tally), sinceMs: tally.since },
      ]),
    ),
    pending: stored.pending.map(({ s, u }) => [s, u]),
    asked: stored.asked,
    sent: stored.sent,
    recent: stored.recent,
    scouts: decodeTally(stored.scouts),
    hours: stored.hours ? decodeHours(stored.hours) : noHours,
    learntAtMs: stored.learnt ?? 0,
    misfitAtMs: stored.misfit ?? 0,
    misfit: stored.shown
      ? { by: stored.shown.by, ...decodeTally(stored.shown), expected: stored.shown.e }
      : null,
    isSimulated: stored.simulated ?? false,
  }
}

export const fitOverMs = ({ atMs }: Fit): number => atMs + keptForeverMs
