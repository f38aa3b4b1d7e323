/** The guard's own rules on debts in memory: what the database path decides, without the database. */
import {
  type Acquaintance,
  afterApproval,
  afterSend,
  approve,
  Book,
  judge,
  letThrough,
  placeOf,
  stranger,
  trustOf,
  turnAway,
} from '../../server/src/domain/guard/pumping/index.ts'
import type { Send } from './traffic.ts'

export interface Decider {
  /** Null when the send goes out; else what stopped it. */
  readonly decide: (send: Send) => string | null
  readonly approve: (send: Send, t: number) => void
}

/** Any time will do, as long as it is not zero. */
const epochMs = 1_800_000_000_000
export const msOf = (t: number) => epochMs + Math.round(t * 1000)

/** `book` is open to whoever draws what the places owe. */
export function createEngine(declaredCountries: readonly string[] = []): Decider & { readonly book: Book } {
  const book = new Book()
  const people = new Map<string, Acquaintance>()
  return {
    book,
    decide(send) {
      const nowMs = msOf(send.t)
      const person = people.get(send.recipient) ?? stranger
      const trust = trustOf(person, nowMs)
      if (trust === 'trusted') {
        people.set(send.recipient, afterSend(person, null, nowMs))
        return null
      }
      const place = placeOfSend(send)
      const isCharged = trust === 'stranger'
      const verdict = judge(book, place, { isFlagged: send.isFlagged, declaredCountries, nowMs })
      if (verdict.stop) {
        if (isCharged) turnAway(book, verdict)
        return verdict.stop.by.level
      }
      letThrough(book, verdict, isCharged)
      people.set(
        send.recipient,
        afterSend(person, isCharged ? { atMs: nowMs, keys: verdict.keys } : null, nowMs),
      )
      return null
    },
    approve(send, t) {
      const person = people.get(send.recipient) ?? stranger
      if (person.open) approve(book, person.open.keys, person.open.atMs, msOf(t))
      people.set(send.recipient, afterApproval(person, msOf(t)))
    },
  }
}

export const placeOfSend = ({ recipient, country, clientIp }: Send) =>
  placeOf({ number: recipient, region: country.region, ipKey: clientIp }, (prefix) => prefix)
