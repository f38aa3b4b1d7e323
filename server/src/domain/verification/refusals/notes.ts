/**
 * What this node has refused and not written yet. Memory is bounded by apps and rules, never by how much is refused:
 *
 *   own row      the first of an app, then so many a second
 *   shared row   equal ones beyond that: same app, kind, rule, error, country, channel and key
 *   coarse row   where an app has too many of those: same app, kind, rule and error
 *
 * A shared row takes what comes for a minute. Counts are exact; only what a crash takes along is missing.
 */
import { newId } from '../../../platform/ids.ts'
import type { Refusal } from './refusal.ts'

export interface NoteBounds {
  /** Rows of its own that an app gets at once, and how many a second it gets back. */
  readonly ownRows: number
  readonly ownRowsPerSecond: number
  /** Rows of their own that wait to be written, over all apps. */
  readonly mostWaiting: number
  readonly sharedRowsOfApp: number
  readonly sharedRows: number
  readonly sharedForMs: number
}

const noteBounds: NoteBounds = {
  ownRows: 200,
  ownRowsPerSecond: 1,
  mostWaiting: 5_000,
  sharedRowsOfApp: 20,
  sharedRows: 2_000,
  sharedForMs: 60_000,
}

/** One row: the first refusal that it stands for, and how many there are by now. */
interface Note {
  readonly refusalId: string
  readonly first: Refusal
  readonly openedMs: number
  readonly share: 'own' | 'shared' | 'coarse'
  count: number
  priceMicros: bigint | null
}

/** A row as it is to be written: its whole count, so that writing it twice changes nothing. */
export interface Noted {
  readonly refusalId: string
  readonly refusal: Refusal
  readonly count: number
  readonly priceMicros: bigint | null
}

interface AppState {
  ownRows: number
  atMs: number
  sharedRows: number
}

export class RefusalNotes {
  readonly #bounds: NoteBounds
  readonly #nowMs: () => number
  readonly #apps = new Map<string, AppState>()
  readonly #shared = new Map<string, Note>()
  /** Rows that have grown since they were last written, with the count that was written then. */
  readonly #unwritten = new Map<Note, number>()
  #waiting = 0
  #sharedRows = 0
  #unwrittenCount = 0

  /** `nowMs` must never go back, as `performance.now` does not; it is no time of day. */
  constructor(bounds = noteBounds, nowMs = () => performance.now()) {
    this.#bounds = bounds
    this.#nowMs = nowMs
  }

  /** How many refusals are unwritten, which may be more than there are rows. */
  get unwritten(): number {
    return this.#unwrittenCount
  }

  note(refusal: Refusal): void {
    this.#unwrittenCount++
    const app = this.#appOf(refusal.appId)
    if (app.ownRows >= 1 && this.#waiting < this.#bounds.mostWaiting) {
      app.ownRows--
      this.#waiting++
      this.#open(refusal, 'own')
    } else this.#share(refusal, app)
  }

  /** As many rows as one statement takes, oldest first. */
  take(most: number): Noted[] {
    const taken: Noted[] = []
    for (const note of this.#unwritten.keys()) {
      if (taken.length === most) break
      const { refusalId, first, count, priceMicros } = note
      taken.push({ refusalId, refusal: first, count, priceMicros })
    }
    return taken
  }

  /** The rows that were taken are written, or given up. */
  settle(taken: readonly Noted[]): void {
    const counts = new Map(taken.map(({ refusalId, count }) => [refusalId, count]))
    for (const [note, written] of this.#unwritten) {
      const count = counts.get(note.refusalId)
      if (count === undefined) continue
      this.#unwrittenCount -= count - written
      if (note.share === 'own') this.#waiting--
      if (note.count === count) this.#unwritten.delete(note)
      else this.#unwritten.set(note, count)
    }
  }

  /** Forgets rows whose minute is over, once they are written whole, and apps of which nothing is left to know. */
  tidy(): void {
    const oldestMs = this.#nowMs() - this.#bounds.sharedForMs
    for (const [key, note] of this.#shared) {
      if (note.openedMs > oldestMs || this.#unwritten.has(note)) continue
      this.#shared.delete(key)
      if (note.share === 'coarse') continue
      this.#sharedRows--
      this.#appOf(note.first.appId).sharedRows--
    }
    for (const appId of this.#apps.keys()) {
      const { ownRows, sharedRows } = this.#appOf(appId)
      if (ownRows === this.#bounds.ownRows && sharedRows === 0) this.#apps.delete(appId)
    }
  }

  #appOf(appId: string): AppState {
    const { ownRows, ownRowsPerSecond } = this.#bounds
    const atMs = this.#nowMs()
    const app = this.#apps.get(appId) ?? { ownRows, atMs, sharedRows: 0 }
    app.ownRows = Math.min(ownRows, app.ownRows + ((atMs - app.atMs) / 1000) * ownRowsPerSecond)
    app.atMs = atMs
    this.#apps.set(appId, app)
    return app
  }

  #share(refusal: Refusal, app: AppState): void {
    const key = keyOf(refusal)
    const coarse = { ...refusal, country: null, channel: null, keyId: null }
    const coarseKey = `${keyOf(coarse)} and others`
    const isFull =
      app.sharedRows >= this.#bounds.sharedRowsOfApp || this.#sharedRows >= this.#bounds.sharedRows
    const found = this.#shared.get(key) ?? (isFull ? this.#shared.get(coarseKey) : undefined)
    if (found) {
      this.#add(found, refusal)
    } else if (isFull) {
      this.#shared.set(coarseKey, this.#open(coarse, 'coarse'))
    } else {
      app.sharedRows++
      this.#sharedRows++
      this.#shared.set(key, this.#open(refusal, 'shared'))
    }
  }

  #open(first: Refusal, share: Note['share']): Note {
    const { atMs, priceMicros } = first
    const refusalId = newId('refusal', atMs)
    const note = { refusalId, first, openedMs: this.#nowMs(), share, count: 1, priceMicros }
    this.#unwritten.set(note, 0)
    return note
  }

  #add(note: Note, { priceMicros }: Refusal): void {
    if (!this.#unwritten.has(note)) this.#unwritten.set(note, note.count)
    note.count++
    if (priceMicros !== null) note.priceMicros = (note.priceMicros ?? 0n) + priceMicros
  }
}

const keyOf = ({ appId, kind, decided, errorType, country, channel, keyId }: Refusal) =>
  [appId, kind, ruleOf(decided), errorType, country, channel, keyId].join(' ')

/** Rules of one's own share a name, and are told apart by their ids. */
const ruleOf = ({ rule, facts }: Refusal['decided']) =>
  'rule_id' in facts ? `${rule} ${facts.rule_id}` : rule
