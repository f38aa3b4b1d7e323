/**
 * The guard against pumped traffic, for the calls of one batch.
 *
 * What the batch needs was read under the company's lock; approvals that came since the last batch are taken
 * into account first, each at its own time. Calls are then judged and charged in memory, and what changed is
 * written with the batch.
 */
import { Book } from './book.ts'
import type { Debt } from './debt.ts'
import { approve, type Circumstances, judge, letThrough, turnAway, type Verdict } from './judge.ts'
import { afterApproval, afterSend, type Charge, type Person, standingOf, stranger } from './person.ts'
import type { Place, PlaceKey } from './place.ts'

export interface Approval {
  readonly appId: string
  readonly recipient: string
  readonly atMs: number
}

export interface LoadedDebt {
  readonly appId: string
  /** Of the key. */
  readonly name: string
  readonly debt: Debt
}

export interface LoadedPerson {
  readonly appId: string
  /** The recipient's hash, as text. */
  readonly recipient: string
  readonly person: Person
}

/** Where the number of a call lies, and the address that it came from. */
export interface WantedPlace {
  readonly number: string
  readonly ipKey: string | null
  readonly place: Place
}

export interface Loaded {
  readonly debts: readonly LoadedDebt[]
  readonly people: readonly LoadedPerson[]
  /** Oldest first. */
  readonly approvals: readonly Approval[]
}

/** `trusted`: passes everything. `verdict`: what the debts say, and whether this send is charged to them. */
export type Assessment =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly isCharged: boolean }

export class Pumping {
  readonly #books = new Map<string, Book>()
  readonly #people = new Map<string, LoadedPerson>()
  readonly #changedPeople = new Set<string>()
  readonly #places = new Map<string, Place>()

  constructor({ debts, people, approvals }: Loaded, wanted: readonly WantedPlace[] = []) {
    for (const { number, ipKey, place } of wanted) this.#places.set(placeKey(number, ipKey), place)
    for (const { appId, debt, name } of debts) this.#bookOf(appId).load(name, debt)
    for (const loaded of people) this.#people.set(personKey(loaded.appId, loaded.recipient), loaded)
    for (const approval of approvals) this.approve(approval)
  }

  placeOf(number: string, ipKey: string | null): Place {
    const place = this.#places.get(placeKey(number, ipKey))
    if (!place) throw new Error('a number that was not asked about')
    return place
  }

  assess(appId: string, recipient: string, place: Place, circumstances: Circumstances): Assessment {
    const standing = standingOf(this.#personOf(appId, recipient), circumstances.nowMs)
    if (standing === 'trusted') return { kind: 'trusted' }
    const book = this.#bookOf(appId)
    const verdict = judge(book, place, circumstances)
    if (verdict.stop && standing === 'stranger') turnAway(book, verdict)
    return { kind: 'verdict', verdict, isCharged: standing === 'stranger' }
  }

  /** After every other rule has let the message go. */
  record(appId: string, recipient: string, assessment: Assessment, nowMs: number): void {
    let charge: Charge | null = null
    if (assessment.kind === 'verdict') {
      const { verdict, isCharged } = assessment
      letThrough(this.#bookOf(appId), verdict, isCharged)
      if (isCharged) charge = { atMs: nowMs, keys: verdict.keys }
    }
    this.#setPerson(appId, recipient, afterSend(this.#personOf(appId, recipient), charge, nowMs))
  }

  approve({ appId, recipient, atMs }: Approval): void {
    const person = this.#personOf(appId, recipient)
    if (person.open) approve(this.#bookOf(appId), person.open.keys, person.open.atMs, atMs)
    this.#setPerson(appId, recipient, afterApproval(person, atMs))
  }

  /** A person who goes another way: an approval there is worth trust. */
  remember(appId: string, recipient: string): void {
    this.#setPerson(appId, recipient, this.#personOf(appId, recipient))
  }

  changedDebts(): { appId: string; key: PlaceKey; debt: Debt }[] {
    return [...this.#books].flatMap(([appId, book]) =>
      book.takeChanged().map(({ key, debt }) => ({ appId, key, debt })),
    )
  }

  changedPeople(): LoadedPerson[] {
    return [...this.#changedPeople].flatMap((key) => this.#people.get(key) ?? [])
  }

  #bookOf(appId: string): Book {
    const book = this.#books.get(appId) ?? new Book()
    this.#books.set(appId, book)
    return book
  }

  #personOf(appId: string, recipient: string): Person {
    return this.#people.get(personKey(appId, recipient))?.person ?? stranger
  }

  #setPerson(appId: string, recipient: string, person: Person): void {
    const key = personKey(appId, recipient)
    this.#people.set(key, { appId, recipient, person })
    this.#changedPeople.add(key)
  }
}

const personKey = (appId: string, recipient: string) => `${appId} ${recipient}`
const placeKey = (number: string, ipKey: string | null) => `${number} ${ipKey}`
