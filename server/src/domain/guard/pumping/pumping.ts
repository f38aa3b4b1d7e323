/**
 * The guard against pumped traffic, for the calls of one batch.
 *
 * What the batch needs was read under the company's lock; approvals that came since the last batch are taken
 * into account first, each at its own time. Calls are then judged and charged in memory, and what changed is
 * written with the batch.
 */

import {
  type Acquaintance,
  afterApproval,
  afterSend,
  type Charge,
  stranger,
  trustOf,
} from './acquaintance.ts'
import { Book } from './book.ts'
import type { Debt } from './debt.ts'
import { approve, type Circumstances, judge, letThrough, turnAway, type Verdict } from './judge.ts'
import type { Place, PlaceKey } from './place.ts'

export interface Approval {
  readonly appId: string
  readonly recipient: string
  readonly atMs: number
}

export interface LoadedDebt {
  readonly appId: string
  /** The name of the key that the debt belongs to. */
  readonly name: string
  readonly debt: Debt
}

export interface LoadedAcquaintance {
  readonly appId: string
  /** The recipient's hash, as text. */
  readonly recipient: string
  readonly acquaintance: Acquaintance
}

/** Where the number of a call lies, and the address that it came from. */
export interface WantedPlace {
  readonly number: string
  readonly ipKey: string | null
  readonly place: Place
}

export interface Loaded {
  readonly debts: readonly LoadedDebt[]
  readonly acquaintances: readonly LoadedAcquaintance[]
  /** Oldest first. */
  readonly approvals: readonly Approval[]
}

/** `trusted`: passes everything. `verdict`: what the debts say, and whether this send is charged to them. */
export type Assessment =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly isCharged: boolean }

export class Pumping {
  readonly #books = new Map<string, Book>()
  readonly #acquaintances = new Map<string, LoadedAcquaintance>()
  readonly #changed = new Set<string>()
  readonly #places = new Map<string, Place>()

  constructor({ debts, acquaintances, approvals }: Loaded, wanted: readonly WantedPlace[] = []) {
    for (const { number, ipKey, place } of wanted) this.#places.set(placeKey(number, ipKey), place)
    for (const { appId, debt, name } of debts) this.#bookOf(appId).load(name, debt)
    for (const loaded of acquaintances) this.#acquaintances.set(keyOf(loaded.appId, loaded.recipient), loaded)
    for (const approval of approvals) this.approve(approval)
  }

  placeOf(number: string, ipKey: string | null): Place {
    const place = this.#places.get(placeKey(number, ipKey))
    if (!place) throw new Error('a number that was not asked about')
    return place
  }

  assess(appId: string, recipient: string, place: Place, circumstances: Circumstances): Assessment {
    const trust = trustOf(this.#acquaintanceOf(appId, recipient), circumstances.nowMs)
    if (trust === 'trusted') return { kind: 'trusted' }
    const book = this.#bookOf(appId)
    const verdict = judge(book, place, circumstances)
    if (verdict.stop && trust === 'stranger') turnAway(book, verdict)
    return { kind: 'verdict', verdict, isCharged: trust === 'stranger' }
  }

  /** After every other rule has let the message go. */
  record(appId: string, recipient: string, assessment: Assessment, nowMs: number): void {
    let charge: Charge | null = null
    if (assessment.kind === 'verdict') {
      const { verdict, isCharged } = assessment
      letThrough(this.#bookOf(appId), verdict, isCharged)
      if (isCharged) charge = { atMs: nowMs, keys: verdict.keys }
    }
    this.#set(appId, recipient, afterSend(this.#acquaintanceOf(appId, recipient), charge, nowMs))
  }

  approve({ appId, recipient, atMs }: Approval): void {
    const acquaintance = this.#acquaintanceOf(appId, recipient)
    const { open } = acquaintance
    if (open) approve(this.#bookOf(appId), open.keys, open.atMs, atMs)
    this.#set(appId, recipient, afterApproval(acquaintance, atMs))
  }

  /** A person who goes another way: an approval there is worth trust. */
  remember(appId: string, recipient: string): void {
    this.#set(appId, recipient, this.#acquaintanceOf(appId, recipient))
  }

  changedDebts(): { appId: string; key: PlaceKey; debt: Debt }[] {
    return [...this.#books].flatMap(([appId, book]) =>
      book.takeChanged().map(({ key, debt }) => ({ appId, key, debt })),
    )
  }

  changedAcquaintances(): LoadedAcquaintance[] {
    return [...this.#changed].flatMap((key) => this.#acquaintances.get(key) ?? [])
  }

  #bookOf(appId: string): Book {
    const book = this.#books.get(appId) ?? new Book()
    this.#books.set(appId, book)
    return book
  }

  #acquaintanceOf(appId: string, recipient: string): Acquaintance {
    return this.#acquaintances.get(keyOf(appId, recipient))?.acquaintance ?? stranger
  }

  #set(appId: string, recipient: string, acquaintance: Acquaintance): void {
    const key = keyOf(appId, recipient)
    this.#acquaintances.set(key, { appId, recipient, acquaintance })
    this.#changed.add(key)
  }
}

const keyOf = (appId: string, recipient: string) => `${appId} ${recipient}`
const placeKey = (number: string, ipKey: string | null) => `${number} ${ipKey}`
