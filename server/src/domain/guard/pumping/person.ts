/** What the guard remembers of one recipient of an app: trust, and the send that is not approved yet. */
import { freeRepeats, repeatMs, trustedSends, trustMs } from './levels.ts'
import type { PlaceKey } from './place.ts'

export interface Charge {
  readonly atMs: number
  readonly keys: readonly PlaceKey[]
}

export interface Person {
  readonly verifiedAtMs: number
  /** Sends since the last approval. */
  readonly unapproved: number
  readonly chargedAtMs: number
  readonly repeats: number
  /** What an approval gives back. */
  readonly open: Charge | null
}

export const stranger: Person = { verifiedAtMs: 0, unapproved: 0, chargedAtMs: 0, repeats: 0, open: null }

/** `trusted` passes every barrier; `repeat` passes none, and adds nothing. */
export function standingOf(person: Person, nowMs: number): 'trusted' | 'repeat' | 'stranger' {
  if (nowMs - person.verifiedAtMs < trustMs && person.unapproved < trustedSends) return 'trusted'
  const isRepeat = nowMs - person.chargedAtMs < repeatMs && person.repeats < freeRepeats
  return isRepeat ? 'repeat' : 'stranger'
}

export function afterSend(person: Person, charge: Charge | null, nowMs: number): Person {
  const unapproved = person.unapproved + 1
  if (!charge) return { ...person, unapproved, repeats: person.repeats + 1 }
  const isNew = nowMs - person.chargedAtMs >= repeatMs
  return { ...person, unapproved, chargedAtMs: nowMs, repeats: isNew ? 0 : person.repeats, open: charge }
}

export const afterApproval = (person: Person, nowMs: number): Person => ({
  ...person,
  verifiedAtMs: nowMs,
  unapproved: 0,
  repeats: 0,
  open: null,
})
