/** The effective order: the country's list, or the default, without channels that cannot reach this person now. */
import {
  type AppSettings,
  type ChannelName,
  channelNames,
  type RecipientType,
  type RuleFacts,
} from '@countersign/contract'

export interface RoutingSubject {
  readonly recipientType: RecipientType
  readonly country: string | null
  readonly isFixedLine: boolean
  /** Channels on which a provider has called this person unreachable. */
  readonly unreachable: ReadonlySet<ChannelName>
  /** The channels that the app's own rules leave; null if they leave all. */
  readonly left: ReadonlySet<ChannelName> | null
}

type LeftOut = RuleFacts['routing']['left_out'][number]

export interface Order {
  /** The order as configured, to find what comes after a channel that is no longer usable. */
  readonly configured: readonly ChannelName[]
  readonly usable: readonly ChannelName[]
  /** Every channel that reaches this person now, even outside the order: what a resend may name. */
  readonly reachable: readonly ChannelName[]
  /** Channels of the order that do not reach this person. */
  readonly leftOut: readonly LeftOut[]
}

export function effectiveOrder(
  settings: Pick<AppSettings, 'routing' | 'channels'>,
  subject: RoutingSubject,
  hasProvider: (channel: ChannelName) => boolean,
): Order {
  const override = subject.country === null ? undefined : settings.routing.countries[subject.country]
  const configured = override ?? settings.routing.default
  const reasons = new Map(channelNames.map((channel) => [channel, whyNot(channel)]))
  const isReachable = (channel: ChannelName) => reasons.get(channel) === null
  const leave = (channel: ChannelName): LeftOut[] => {
    const because = reasons.get(channel)
    return because ? [{ channel, because }] : []
  }
  return {
    configured,
    usable: configured.filter(isReachable),
    reachable: channelNames.filter(isReachable),
    leftOut: configured.flatMap(leave),
  }

  function whyNot(channel: ChannelName): LeftOut['because'] | null {
    if (!settings.channels[channel].enabled) return 'not_enabled'
    if ((channel === 'email') !== (subject.recipientType === 'email')) {
      return subject.recipientType === 'email' ? 'not_to_emails' : 'not_to_phones'
    }
    if (channel === 'sms' && subject.isFixedLine) return 'fixed_line'
    if (subject.unreachable.has(channel)) return 'unreachable'
    if (!hasProvider(channel)) return 'no_provider'
    return subject.left === null || subject.left.has(channel) ? null : 'own_rule'
  }
}
