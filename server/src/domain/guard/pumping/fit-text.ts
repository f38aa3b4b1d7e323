/** What is normal for an app, as it is stored. There is one row for each app, so JSON is quick enough. */
import { keptForeverMs } from './debt-text.ts'
import { type Fit, type Misfit, noFit } from './fit.ts'
import type { Tally } from './tally.ts'

/** The names are short, since a row may have dozens of these. */
interface StoredTally {
  /** The tally's `numbers`. */
  readonly n: number
  /** The tally's `approved`. */
  readonly a: number
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
    learntAtMs: stored.learnt ?? 0,
    misfitAtMs: stored.misfit ?? 0,
    misfit: stored.shown
      ? { by: stored.shown.by, ...decodeTally(stored.shown), expected: stored.shown.e }
      : null,
    isSimulated: stored.simulated ?? false,
  }
}

export const fitOverMs = ({ atMs }: Fit): number => atMs + keptForeverMs
