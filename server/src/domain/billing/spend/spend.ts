/**
 * What the apps of one batch have spent: read under the company's lock, kept up to date as calls are decided, written with
 * the batch. What was returned or approved since the last batch is applied first.
 */
import { type Count, type Period, startOf } from './caps.ts'

export interface Counter extends Count {
  readonly appId: string
  readonly name: string
  readonly sinceMs: number
  readonly isStored: boolean
}

/** A later change of what was spent or approved; it belongs to the period of the send. */
export interface Note {
  readonly appId: string
  readonly country: string | null
  readonly sentAtMs: number
  readonly spentMicros: bigint
  readonly approvedMicros: bigint
}

export interface LoadedSpend {
  readonly counters: readonly Counter[]
  readonly notes: readonly Note[]
}

export const nameOf = (period: Period, country: string | null) =>
  period === 'day' ? `day:${country ?? ''}` : 'hour'

const keyOf = (appId: string, name: string, sinceMs: number) => `${appId} ${name} ${sinceMs}`
const neverBelowZero = (micros: bigint) => (micros < 0n ? 0n : micros)
const periods = ['day', 'hour'] as const

export class Spend {
  readonly #nowMs: number
  readonly #counters = new Map<string, Counter>()
  readonly #changed = new Set<string>()

  constructor({ counters, notes }: LoadedSpend, nowMs: number) {
    this.#nowMs = nowMs
    for (const counter of counters) {
      this.#counters.set(keyOf(counter.appId, counter.name, counter.sinceMs), counter)
    }
    // A send that was decided without the table was never counted, so nothing is subtracted for it.
    for (const note of notes) {
      for (const period of periods) {
        if (this.#find(period, note, note.sentAtMs)?.isStored) this.#add(period, note, note.sentAtMs)
      }
    }
  }

  /** What has been counted in the current period. */
  count(period: Period, appId: string, country: string | null): Count {
    const none = { spentMicros: 0n, approvedMicros: 0n, bestMicros: 0n, bestSpentMicros: 0n }
    return this.#find(period, { appId, country }, this.#nowMs) ?? none
  }

  record(appId: string, country: string | null, priceMicros: bigint): void {
    if (priceMicros === 0n) return
    const spent = { appId, country, spentMicros: priceMicros, approvedMicros: 0n }
    for (const period of periods) this.#add(period, spent, this.#nowMs)
  }

  changed(): Counter[] {
    return [...this.#changed].flatMap((key) => this.#counters.get(key) ?? [])
  }

  #find(period: Period, { appId, country }: Pick<Note, 'appId' | 'country'>, atMs: number) {
    return this.#counters.get(keyOf(appId, nameOf(period, country), startOf(period, atMs)))
  }

  #add(period: Period, note: Omit<Note, 'sentAtMs'>, atMs: number): void {
    const counter = this.#find(period, note, atMs)
    if (!counter) throw new Error('a counter that was not read')
    const key = keyOf(counter.appId, counter.name, counter.sinceMs)
    this.#counters.set(key, {
      ...counter,
      spentMicros: neverBelowZero(counter.spentMicros + note.spentMicros),
      approvedMicros: neverBelowZero(counter.approvedMicros + note.approvedMicros),
    })
    this.#changed.add(key)
  }
}
