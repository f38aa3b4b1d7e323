/** A send or resend as it was recorded, accepted or refused, with what an app's own rules may ask about it. */
import type { ChannelName, KeyKind, RecipientType, RuleFacts, RuleName } from '@countersign/contract'
import { lowestId } from '../../../platform/ids.ts'

export interface Recorded {
  /** An id without its prefix: it gives the order of time, and is where a page goes on. */
  readonly position: string
  readonly kind: 'send' | 'resend'
  readonly otpId: string | null
  readonly atMs: number
  readonly keyKind: KeyKind | null
  readonly recipientType: RecipientType
  readonly country: string | null
  readonly maskedRecipient: string
  /** Null once the recipient has been erased. */
  readonly recipientHash: Buffer | null
  /** Sealed; null if no rule asks for the number. */
  readonly recipient: Buffer | null
  /** Null if there was no usable address, and once the recipient has been erased. */
  readonly clientIp: string | null
  readonly ipKey: string | null
  readonly reputation: RuleFacts['ip_reputation'] | null
  readonly routing: RuleFacts['routing'] | null
  /** The price on the channel that routing chose. */
  readonly priceMicros: bigint | null
  /** What the messages cost, without what was returned; of a refused send, what they would have cost. */
  readonly costMicros: bigint
  readonly isApproved: boolean
  /** The rule that refused it, and how many equal refusals the row stands for; null if it was accepted. */
  readonly refused: { readonly rule: string; readonly count: number } | null
}

/** The position of what was recorded at this time, in any table. */
export const positionAt = (timeMs: number) => lowestId('decision', timeMs).slice('dec_'.length)

export interface Went {
  readonly channel: ChannelName
  readonly isLink: boolean
  /** The channels that could reach the person then, if the app's own rules had not restricted them. */
  readonly order: readonly ChannelName[]
}

/** Null if it went nowhere, or if that is not known. */
export function wentOf({ routing }: Recorded): Went | null {
  if (routing?.because !== 'chosen') return null
  const excluded = routing.left_out.flatMap(({ channel, because }) => (because === 'own_rule' ? channel : []))
  return {
    channel: routing.channel,
    isLink: routing.as !== 'message',
    order: [...routing.order, ...excluded],
  }
}

/** Rules that refuse before an app's own rules are asked. */
const earlier: ReadonlySet<string> = new Set(['recipient', 'geo', 'pending', 'cooldown'] satisfies RuleName[])

/** No rule is asked about showing the same link again, which sends nothing, or about an earlier refusal. */
export const isAsked = ({ routing, refused }: Recorded) =>
  !(routing?.because === 'chosen' && routing.as === 'same_link') && !(refused && earlier.has(refused.rule))
