/** What the guard remembers of one recipient of an app: trust, and the send that is not approved yet. */
import { freeRepeats, repeatMs, trustedSends, trustMs } from './levels.ts'
import type { PlaceKey } from './place.ts'

export interface Charge {
  readonly atMs: number
  readonly keys: readonly PlaceKey[]
}

export interface Acquaintance {
  readonly verifiedAtMs: number
  /** Sends since the last approval. */
  readonly unapproved: number
  readonly chargedAtMs: number
  readonly repeats: number
  /** The charge that an approval gives back. */
  readonly open: Charge | null
}

export const stranger: Acquaintance = {
  verifiedAtMs: 0,
  unapproved: 0,
  chargedAtMs: 0,
  repeats: 0,
  open: null,
}

/** `trusted` passes every barrier; `repeat` passes none, and adds nothing. */
export function trustOf(acquaintance: Acquaintance, nowMs: number): 'trusted' | 'repeat' | 'stranger' {
  if (nowMs - acquaintance.verifiedAtMs < trustMs && acquaintance.unapproved < trustedSends) return 'trusted'
  const isRepeat = nowMs - acquaintance.chargedAtMs < repeatMs && acquaintance.repeats < freeRepeats
  return isRepeat ? 'repeat' : 'stranger'
}

export function afterSend(acquaintance: Acquaintance, charge: Charge | null, nowMs: number): Acquaintance {
  const unapproved = acquaintance.unapproved + 1
  if (!charge) return { ...acquaintance, unapproved, repeats: acquaintance.repeats + 1 }
  const isNew = nowMs - acquaintance.chargedAtMs >= repeatMs
  return {
    ...acquaintance,
    unapproved,
    chargedAtMs: nowMs,
    repeats: isNew ? 0 : acquaintance.repeats,
    open: charge,
  }
}

export const afterApproval = (acquaintance: Acquaintance, nowMs: number): Acquaintance => ({
  ...acquaintance,
  verifiedAtMs: nowMs,
  unapproved: 0,
  repeats: 0,
  open: null,
})
