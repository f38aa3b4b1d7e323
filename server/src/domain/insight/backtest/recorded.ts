/** A send or resend as it was recorded, with what rules of one's own may ask about it. */
import type { ChannelName, KeyKind, RecipientType, RuleFacts } from '@countersign/contract'

export interface Recorded {
  /** Where a page goes on: ids are in the order of time. */
  readonly decisionId: string
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
  readonly ipKey: string | null
  readonly reputation: RuleFacts['ip_reputation'] | null
  readonly routing: RuleFacts['routing'] | null
  /** Of the channel that routing chose. */
  readonly priceMicros: bigint | null
  /** Less what was returned. */
  readonly costMicros: bigint
  readonly isApproved: boolean
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

/** The same link again sends nothing, and no rule is asked about it. */
export const isAsked = ({ routing }: Recorded) =>
  !(routing?.because === 'chosen' && routing.as === 'same_link')
