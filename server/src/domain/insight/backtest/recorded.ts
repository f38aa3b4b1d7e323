/** A send or resend as it was recorded, accepted or refused, with what rules of one's own may ask about it. */
import type { ChannelName, KeyKind, RecipientType, RuleFacts, RuleName } from '@countersign/contract'

export interface Recorded {
  /** An id without its prefix: in the order of time, and where a page goes on. */
  readonly place: string
  readonly kind: 'send' | 'resend'
  readonly otpId: string | null
  readonly atMs: number
  readonly keyKind: KeyKind | null
  readonly recipientType: RecipientType
  readonly country: string | null
  readonly maskedRecipient: string
  /** Null once the recipient has been erased. */
  readonly recipientHash: Buffer | null
  /** Sealed; null where no rule asks for the number. */
  readonly recipient: Buffer | null
  /** Null where there was no usable one, and once the recipient has been erased. */
  readonly clientIp: string | null
  readonly ipKey: string | null
  readonly reputation: RuleFacts['ip_reputation'] | null
  readonly routing: RuleFacts['routing'] | null
  /** The price on the channel that routing chose. */
  readonly priceMicros: bigint | null
  /** What was returned is taken off. */
  readonly costMicros: bigint
  readonly isApproved: boolean
  /** Which rule refused it, and how many equal refusals the row stands for; null where it was accepted. */
  readonly refused: { readonly rule: string; readonly count: number } | null
}

export interface Went {
  readonly channel: ChannelName
  readonly isLink: boolean
  /** What could reach the person then, were it not for rules of the app's own. */
  readonly order: readonly ChannelName[]
}

/** Null where it went nowhere, or nobody can tell. */
export function wentOf({ routing }: Recorded): Went | null {
  if (routing?.because !== 'chosen') return null
  const excluded = routing.left_out.flatMap(({ channel, because }) => (because === 'own_rule' ? channel : []))
  return {
    channel: routing.channel,
    isLink: routing.as !== 'message',
    order: [...routing.order, ...excluded],
  }
}

/** What refuses before an app's own rules are asked. */
const earlier: ReadonlySet<string> = new Set(['recipient', 'geo', 'pending', 'cooldown'] satisfies RuleName[])

/** The same link again sends nothing, so no rule is asked about it; nor about what others refused before. */
export const isAsked = ({ routing, refused }: Recorded) =>
  !(routing?.because === 'chosen' && routing.as === 'same_link') && !(refused && earlier.has(refused.rule))
