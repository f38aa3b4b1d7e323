/**
 * The guard against pumped traffic, for the calls of one batch.
 *
 * What the batch needs was read under the company's lock. Approvals since the last batch are applied first, each at its
 * own time. Calls are then judged and charged in memory, and what has changed is written with the batch.
 */
import {
  type Acquaintance,
  acquaintanceReadAt,
  afterApproval,
  afterSend,
  type Charge,
  stranger,
  trustOf,
  type Wait,
  waitOf,
} from './acquaintance/acquaintance.ts'
import type { Debt } from './debt/debt.ts'
import { conversionOf } from './fit/conversion.ts'
import { countElsewhere, countScout, fitBefore } from './fit/count-fit.ts'
import { type Fit, isLearning } from './fit/fit.ts'
import type { HeldBack, Note } from './history/notes.ts'
import { approve } from './judging/approve.ts'
import { Book } from './judging/book.ts'
import { isTiny, judge, turnAway, type Verdict } from './judging/judge.ts'
import { letThrough } from './judging/let-through.ts'
import type { Circumstances } from './judging/situation.ts'
import { chargedOnceMs, levelRules } from './levels.ts'
import type { Place, PlaceKey } from './place.ts'

export interface Approval {
  readonly appId: string
  readonly recipient: string
  readonly atMs: number
}

interface LoadedDebt {
  /** The name of the key that the debt belongs to. */
  readonly name: string
  readonly debt: Debt
}

export interface LoadedAcquaintance {
  readonly appId: string
  /** The recipient's hash, as text. */
  readonly recipient: string
  readonly acquaintance: Acquaintance
  /** Whether it was read from the table, or began with this batch. */
  readonly isStored: boolean
}

/** Where the number of a call lies, and the address that it came from. */
export interface WantedPlace {
  readonly number: string
  readonly ipKey: string | null
  readonly place: Place
}

interface LoadedFit {
  readonly appId: string
  readonly fit: Fit
}

export interface Loaded {
  readonly debts: readonly LoadedDebt[]
  /** The rows that contain the debts, as they were read; absent if nothing will be written. */
  readonly rows?: StoredRows
  readonly fits: readonly LoadedFit[]
  readonly acquaintances: readonly LoadedAcquaintance[]
  /** Oldest first. */
  readonly approvals: readonly Approval[]
}

/** The stored text of each row, by its name. */
type StoredRows = ReadonlyMap<string, string>

/**
 * `repeated`: the number itself has asked again and again, and has to wait. `verdict`: what the debts say, whether the
 * recipient is known, and whether this send is charged.
 */
export type Assessment =
  | ({ readonly kind: 'repeated' } & Wait)
  | {
      readonly kind: 'verdict'
      readonly verdict: Verdict
      readonly isKnown: boolean
      readonly isCharged: boolean
    }

export class Pumping {
  readonly #book: Book
  readonly #acquaintances = new Map<string, LoadedAcquaintance>()
  readonly #changed = new Set<string>()
  readonly #places = new Map<string, Place>()

  /** `readAtMs` is when it was read from the tables. */
  constructor(
    { debts, fits, acquaintances, approvals, rows }: Loaded,
    wanted: readonly WantedPlace[] = [],
    readAtMs = Number.POSITIVE_INFINITY,
  ) {
    this.#book = new Book(rows ?? new Map(), readAtMs)
    this.addPlaces(wanted)
    for (const { debt, name } of debts) this.#book.load(name, debt)
    for (const { appId, fit } of fits) this.#book.loadFit(appId, fit)
    for (const loaded of acquaintances) {
      const acquaintance = acquaintanceReadAt(loaded.acquaintance, readAtMs)
      this.#acquaintances.set(keyOf(loaded.appId, loaded.recipient), { ...loaded, acquaintance })
    }
    for (const approval of approvals) this.approve(approval)
  }

  /** Adds the places of numbers that will be assessed. */
  addPlaces(wanted: readonly WantedPlace[]): void {
    for (const { place, number, ipKey } of wanted)
      this.#places.set(placeKey(place.appId, number, ipKey), place)
  }

  placeOf(appId: string, number: string, ipKey: string | null): Place {
    const place = this.#places.get(placeKey(appId, number, ipKey))
    if (!place) throw new Error('a number that was not asked about')
    return place
  }

  assess(appId: string, recipient: string, place: Place, circumstances: Circumstances): Assessment {
    const acquaintance = this.#acquaintanceOf(appId, recipient)
    const { nowMs, isSimulated = false } = circumstances
    const fit = this.#book.fitOf(appId, nowMs)
    const before = fitBefore(fit, isSimulated)
    if (before !== fit) this.#book.putFit(appId, before)
    const wait = waitOf(acquaintance, circumstances.mostSends ?? 0, nowMs)
    if (wait && !this.#isLearning(appId, circumstances)) return { kind: 'repeated', ...wait }
    const trust = trustOf(acquaintance, nowMs)
    const verdict = judge(this.#book, place, circumstances, { trust, ...acquaintance })
    return { kind: 'verdict', verdict, isKnown: trust === 'known', isCharged: trust !== 'repeat' }
  }

  /** Records that the send is held back: it still counts as asking, which shows where an attack is. */
  turnAway(appId: string, recipient: string, assessment: Assessment, nowMs: number): void {
    if (assessment.kind === 'repeated' || !assessment.isCharged) return
    turnAway(this.#book, assessment.verdict)
    if (assessment.isKnown)
      this.#set(appId, recipient, {
        ...this.#acquaintanceOf(appId, recipient),
        turnedAwayAtMs: nowMs,
      })
  }

  /** Records the send, once every other rule has let the message go. */
  record(appId: string, recipient: string, assessment: Assessment, nowMs: number): void {
    const charge: Charge | null =
      assessment.kind === 'verdict' ? letThrough(this.#book, assessment.verdict, assessment.isCharged) : null
    this.#set(appId, recipient, afterSend(this.#acquaintanceOf(appId, recipient), charge, nowMs))
  }

  approve({ appId, recipient, atMs }: Approval): void {
    const acquaintance = this.#acquaintanceOf(appId, recipient)
    const { open } = acquaintance
    if (open) approve(this.#book, appId, open, atMs)
    if (acquaintance.reroutedAtMs > acquaintance.sentAtMs)
      this.#book.putFit(appId, countElsewhere(this.#book.fitOf(appId, atMs)))
    const conversion = conversionOf(this.#book.fitOf(appId, atMs), null)
    this.#set(appId, recipient, afterApproval(acquaintance, conversion, atMs))
  }

  /** Notes that this send was held back, or would have been. Only people see it: no decision depends on it. */
  noteHeld({ stop, watched, situation }: Verdict, held: HeldBack): void {
    const barrier = stop ?? watched
    if (!barrier) return
    const { by, state } = barrier
    const { debt } = state
    const threshold = state.threshold > 0 ? state.threshold : levelRules[by.level].block
    this.#book.notes.holdBack(situation.place.appId, by, { debt, threshold }, held)
  }

  /** Returns what was noted for people since the last call. */
  takeNotes(): Note[] {
    return this.#book.notes.take()
  }

  /** Records that somebody is sent to on another channel: an approval there earns trust, and shows who is held. */
  sendElsewhere(appId: string, recipient: string, assessment: Assessment, nowMs: number): void {
    const acquaintance = this.#acquaintanceOf(appId, recipient)
    const stop = assessment.kind === 'verdict' ? assessment.verdict.stop : null
    const isWide = stop !== null && !isTiny(stop.by.level)
    if (isWide && nowMs - acquaintance.reroutedAtMs >= chargedOnceMs)
      this.#book.putFit(appId, countScout(this.#book.fitOf(appId, nowMs)))
    this.#set(appId, recipient, isWide ? { ...acquaintance, reroutedAtMs: nowMs } : acquaintance)
  }

  debtAt(key: PlaceKey, nowMs: number): number {
    return this.#book.at(key, nowMs).debt
  }

  /** Rows as they were read, by name: the unchanged parts of a changed row are written again. */
  get rows(): StoredRows {
    return this.#book.rows
  }

  changedDebts(): { key: PlaceKey; debt: Debt }[] {
    return this.#book.takeChanged()
  }

  changedFits(): { appId: string; fit: Fit }[] {
    return this.#book.takeChangedFits()
  }

  changedAcquaintances(): LoadedAcquaintance[] {
    return [...this.#changed].flatMap((key) => this.#acquaintances.get(key) ?? [])
  }

  #isLearning(appId: string, { learns = false, declaredConversion, nowMs }: Circumstances): boolean {
    const isDeclared = (declaredConversion ?? null) !== null
    return isLearning(this.#book.fitOf(appId, nowMs), learns && !isDeclared, nowMs)
  }

  #acquaintanceOf(appId: string, recipient: string): Acquaintance {
    return this.#acquaintances.get(keyOf(appId, recipient))?.acquaintance ?? stranger
  }

  #set(appId: string, recipient: string, acquaintance: Acquaintance): void {
    const key = keyOf(appId, recipient)
    const isStored = this.#acquaintances.get(key)?.isStored ?? false
    this.#acquaintances.set(key, { appId, recipient, acquaintance, isStored })
    this.#changed.add(key)
  }
}

const keyOf = (appId: string, recipient: string) => `${appId} ${recipient}`
const placeKey = (appId: string, number: string, ipKey: string | null) => `${appId} ${number} ${ipKey}`
