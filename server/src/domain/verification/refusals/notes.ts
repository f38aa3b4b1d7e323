/**
 * What this node has refused and not written yet. Memory is bounded by apps and rules, never by how much is refused:
 *
 *   own row      the first refusals of an app, then a few each second
 *   shared row   beyond that, for equal ones: same app, kind, rule, error, country, channel, key and place in the country;
 *                or without the place, if an app has too many of those
 *   coarse row   if it has too many of those too: same app, kind, rule and error
 *
 * A shared row is used for a minute. Counts are exact, except for what a crash loses. In each hour an app is counted by
 * a bounded number of places; what is refused in others is counted by country.
 */
import { newId } from '../../../platform/ids.ts'
import type { Refusal } from './refusal.ts'
import { type Whereabouts, whereaboutsOf } from './whereabouts.ts'

export interface NoteBounds {
  /** How many rows of its own an app gets at once, and how many more each second. */
  readonly ownRows: number
  readonly ownRowsPerSecond: number
  /** The most such rows that wait to be written, over all apps. */
  readonly mostWaiting: number
  /** The most shared rows of an app; at most half of them are for single places. */
  readonly sharedRowsOfApp: number
  readonly sharedRows: number
  readonly sharedForMs: number
  /** The most places of an app that are counted in an hour. */
  readonly placesOfHour: number
}

const noteBounds: NoteBounds = {
  ownRows: 200,
  ownRowsPerSecond: 1,
  mostWaiting: 5_000,
  sharedRowsOfApp: 20,
  sharedRows: 2_000,
  sharedForMs: 60_000,
  placesOfHour: 50,
}

const hourMs = 3_600_000

type Share = 'own' | 'shared' | 'coarse'

/** A row: the first refusal that it stands for, and how many there are by now. */
interface Note {
  readonly refusalId: string
  readonly first: Refusal
  readonly openedMs: number
  readonly share: Share
  /** Null if the row stands for several countries. */
  readonly where: Whereabouts | null
  count: number
  priceMicros: bigint | null
}

/** A row as it is to be written: its whole count, so that writing it twice changes nothing. */
export interface Noted {
  readonly refusalId: string
  readonly refusal: Refusal
  /** Null if the row stands for several countries. */
  readonly where: Whereabouts | null
  readonly count: number
  readonly priceMicros: bigint | null
}

interface AppState {
  ownRows: number
  atMs: number
  sharedRows: number
  /** The hour in which `places` are counted. */
  hour: number
  readonly places: Set<string>
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

  /** `nowMs` must never go back, so it is a monotonic clock. */
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
    const where = this.#whereOf(refusal, app)
    if (app.ownRows >= 1 && this.#waiting < this.#bounds.mostWaiting) {
      app.ownRows--
      this.#waiting++
      this.#open(refusal, 'own', where)
    } else this.#share(refusal, app, where)
  }

  /** Returns at most as many rows as one statement takes, oldest first. */
  take(most: number): Noted[] {
    const taken: Noted[] = []
    for (const note of this.#unwritten.keys()) {
      if (taken.length === most) break
      const { refusalId, first, where, count, priceMicros } = note
      taken.push({ refusalId, refusal: first, where, count, priceMicros })
    }
    return taken
  }

  /** Called when the rows that were taken are written, or given up. */
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

  /** Forgets rows whose minute is over, once they are fully written, and apps that are back to their initial state. */
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
    const app = this.#apps.get(appId) ?? { ownRows, atMs, sharedRows: 0, hour: 0, places: new Set() }
    app.ownRows = Math.min(ownRows, app.ownRows + ((atMs - app.atMs) / 1000) * ownRowsPerSecond)
    app.atMs = atMs
    this.#apps.set(appId, app)
    return app
  }

  #whereOf(refusal: Refusal, app: AppState): Whereabouts {
    const where = whereaboutsOf(refusal)
    if (where.level === null) return where
    const hour = Math.floor(refusal.atMs / hourMs)
    if (hour !== app.hour) app.places.clear()
    app.hour = hour
    const name = `${where.country} ${where.level} ${where.place}`
    if (app.places.size < this.#bounds.placesOfHour) app.places.add(name)
    return app.places.has(name) ? where : ofCountry(where)
  }

  #share(refusal: Refusal, app: AppState, where: Whereabouts): void {
    const { sharedRowsOfApp, sharedRows } = this.#bounds
    const room = this.#sharedRows < sharedRows ? sharedRowsOfApp - app.sharedRows : 0
    const shared = (at: Whereabouts, hasRoom: boolean) => {
      const key = keyOf(refusal, at)
      const found = this.#shared.get(key)
      if (found) this.#add(found, refusal)
      else if (hasRoom) {
        app.sharedRows++
        this.#sharedRows++
        this.#shared.set(key, this.#open(refusal, 'shared', at))
      } else return false
      return true
    }
    const isOfPlace = where.level !== null
    if (isOfPlace && shared(where, room > sharedRowsOfApp / 2)) return
    if (!shared(ofCountry(where), room > 0)) this.#shareCoarsely(refusal)
  }

  #shareCoarsely(refusal: Refusal): void {
    const coarse = { ...refusal, country: null, channel: null, keyId: null }
    const key = `${keyOf(coarse, { country: null, level: null, place: null })} and others`
    const found = this.#shared.get(key)
    if (found) this.#add(found, refusal)
    else this.#shared.set(key, this.#open(coarse, 'coarse', null))
  }

  #open(first: Refusal, share: Share, where: Whereabouts | null): Note {
    const { atMs, priceMicros } = first
    const refusalId = newId('refusal', atMs)
    const note = { refusalId, first, openedMs: this.#nowMs(), share, where, count: 1, priceMicros }
    this.#unwritten.set(note, 0)
    return note
  }

  #add(note: Note, { priceMicros }: Refusal): void {
    if (!this.#unwritten.has(note)) this.#unwritten.set(note, note.count)
    note.count++
    if (priceMicros !== null) note.priceMicros = (note.priceMicros ?? 0n) + priceMicros
  }
}

const ofCountry = ({ country }: Whereabouts): Whereabouts => ({ country, level: null, place: null })

const keyOf = (
  { appId, kind, decided, errorType, channel, keyId }: Refusal,
  { country, level, place }: Whereabouts,
) => [appId, kind, ruleOf(decided), errorType, country, channel, keyId, level, place].join(' ')

/** An app's own rules share a rule name, and differ by their ids. */
const ruleOf = ({ rule, facts }: Refusal['decided']) =>
  'rule_id' in facts ? `${rule} ${facts.rule_id}` : rule
