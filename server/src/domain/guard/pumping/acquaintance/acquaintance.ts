/** What the guard remembers of one recipient of an app: trust, its own debt, and the send that is not approved yet. */
import { correctedMs } from '../../../../platform/clock.ts'
import {
  chargedOnceMs,
  fadedSend,
  longestRecipientGapMs,
  recipientBreakEven,
  recipientGapMs,
  recipientHalfLifeMs,
  recipientSends,
  trustMs,
} from '../levels.ts'
import type { Place, PlaceKey } from '../place.ts'

/** How a send was let through, which decides what its approval counts for. */
export interface Charge {
  readonly atMs: number
  readonly place: Place
  readonly isKnown: boolean
  readonly isHome: boolean
  readonly isScout: boolean
  /** The carrier stands out, so the country is not charged. */
  readonly isNarrow: boolean
  /** A small carrier stands out by itself, so its prefix and country are not charged. */
  readonly isSmallCarrier: boolean
  /** The carrier or country stands out, or the simulator carried the message, so the app does not learn from it. */
  readonly isApart: boolean
  readonly isOnTrial: boolean
  /** The simulator carried the message. */
  readonly isSimulated: boolean
  /** Closed places that the send passed by their lanes; it is not charged to them. */
  readonly lanes: readonly PlaceKey[]
}

export interface Acquaintance {
  readonly verifiedAtMs: number
  /** Sends since the last approval. */
  readonly unapproved: number
  /** When a send to this recipient was last charged to its places. */
  readonly chargedAtMs: number
  /** Sends that no approval has paid for, as of the last send. The number fades with time. */
  readonly owed: number
  readonly sentAtMs: number
  /** When this recipient was last held back as a known one. */
  readonly turnedAwayAtMs: number
  /** When this recipient was last sent to on another channel because a place was closed; zero once it was approved. */
  readonly reroutedAtMs: number
  /** The charge that an approval pays back. */
  readonly open: Charge | null
}

export const stranger: Acquaintance = {
  verifiedAtMs: 0,
  unapproved: 0,
  chargedAtMs: 0,
  owed: 0,
  sentAtMs: 0,
  turnedAwayAtMs: 0,
  reroutedAtMs: 0,
  open: null,
}

/**
 * As it is read now. Sends that were noted while the database's clock was ahead are forgotten: otherwise the number would
 * owe the more, the longer it is until then, and wait for as long.
 */
export function acquaintanceReadAt(acquaintance: Acquaintance, nowMs: number): Acquaintance {
  const latestMs = nowMs + correctedMs
  const { chargedAtMs, sentAtMs, turnedAwayAtMs, reroutedAtMs } = acquaintance
  if (Math.max(chargedAtMs, sentAtMs, turnedAwayAtMs, reroutedAtMs) <= latestMs) return acquaintance
  const noted = (timeMs: number) => (timeMs > latestMs ? 0 : timeMs)
  return {
    ...acquaintance,
    chargedAtMs: noted(chargedAtMs),
    sentAtMs: noted(sentAtMs),
    turnedAwayAtMs: noted(turnedAwayAtMs),
    reroutedAtMs: noted(reroutedAtMs),
  }
}

/** Sends to `known` and `stranger` are charged, each to places of their own; those to `repeat` are not. */
export type Trust = 'known' | 'repeat' | 'stranger'

export function trustOf({ verifiedAtMs, chargedAtMs }: Acquaintance, nowMs: number): Trust {
  if (nowMs - verifiedAtMs < trustMs) return 'known'
  return nowMs - chargedAtMs < chargedOnceMs ? 'repeat' : 'stranger'
}

const owedAt = ({ owed, sentAtMs }: Acquaintance, nowMs: number) =>
  owed * 0.5 ** ((nowMs - sentAtMs) / recipientHalfLifeMs)

export interface Wait {
  readonly untilMs: number
  /** Sends since the last approval. */
  readonly sends: number
  /** Sends that no approval has paid for. */
  readonly owed: number
  /** How many unpaid sends are allowed without a wait. */
  readonly max: number
}

/** How long a number that asks again and again waits for the next code; null if it may have it now. */
export function waitOf(acquaintance: Acquaintance, mostSends: number, nowMs: number): Wait | null {
  const { unapproved: sends, sentAtMs } = acquaintance
  const owed = owedAt(acquaintance, nowMs)
  const max = Math.max(recipientSends, mostSends)
  const over = owed - (max - fadedSend)
  if (over < 0) return null
  const untilMs = sentAtMs + Math.min(longestRecipientGapMs, recipientGapMs * 2 ** Math.floor(over))
  return untilMs > nowMs ? { untilMs, sends, owed, max } : null
}

export function afterSend(acquaintance: Acquaintance, charge: Charge | null, nowMs: number): Acquaintance {
  const next = {
    ...acquaintance,
    unapproved: acquaintance.unapproved + 1,
    owed: owedAt(acquaintance, nowMs) + 1,
    sentAtMs: nowMs,
  }
  if (!charge) return next
  return { ...next, open: charge, chargedAtMs: charge.isKnown ? next.chargedAtMs : nowMs }
}

/** An approval pays for more sends than the app's people usually need for one. */
export const afterApproval = (
  acquaintance: Acquaintance,
  conversion: number,
  nowMs: number,
): Acquaintance => ({
  ...acquaintance,
  verifiedAtMs: nowMs,
  unapproved: 0,
  reroutedAtMs: 0,
  owed: Math.max(0, acquaintance.owed - 1 / (recipientBreakEven * conversion)),
  open: null,
})
