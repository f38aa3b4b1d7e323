/** What is normal for an app, as it is stored: one row of an app, so that JSON will do. */
import { keptForeverMs } from './debt-text.ts'
import { type Fit, noFit, type Tally } from './fit.ts'

type StoredTally = readonly [numbers: number, approved: number]

interface StoredFit {
  readonly at: number
  readonly since: number
  readonly strangers: StoredTally
  readonly known: StoredTally
  readonly countries: Readonly<Record<string, readonly [numbers: number, approved: number, since: number]>>
  readonly pending: Fit['pending']
  readonly asked: number
  readonly sent: number
  readonly recent: number
  readonly scouts: StoredTally
  readonly learnt?: number
  readonly misfit?: number
}

const rounded = (value: number) => Math.round(value * 10_000) / 10_000
const encodeTally = ({ numbers, approved }: Tally): StoredTally => [rounded(numbers), rounded(approved)]
const decodeTally = ([numbers, approved]: StoredTally): Tally => ({ numbers, approved })
/** A country of which less is left has been forgotten. */
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
          : [[region, [...encodeTally(tally), tally.sinceMs]]],
      ),
    ),
    pending: fit.pending,
    asked: rounded(fit.asked),
    sent: rounded(fit.sent),
    recent: rounded(fit.recent),
    scouts: encodeTally(fit.scouts),
    ...(fit.learntAtMs > 0 && { learnt: fit.learntAtMs }),
    ...(fit.misfitAtMs > 0 && { misfit: fit.misfitAtMs }),
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
      Object.entries(stored.countries).map(([region, [numbers, approved, sinceMs]]) => [
        region,
        { numbers, approved, sinceMs },
      ]),
    ),
    pending: stored.pending,
    asked: stored.asked,
    sent: stored.sent,
    recent: stored.recent,
    scouts: decodeTally(stored.scouts),
    learntAtMs: stored.learnt ?? 0,
    misfitAtMs: stored.misfit ?? 0,
  }
}

export const fitOverMs = ({ atMs }: Fit): number => atMs + keptForeverMs
