/** The effective order: the country's list, or the default, less what cannot reach this person now. */
import { type AppSettings, type ChannelName, channelNames, type RecipientType } from '@countersign/contract'

export interface RoutingSubject {
  readonly recipientType: RecipientType
  readonly country: string | null
  readonly isFixedLine: boolean
  /** What a provider has called unreachable for this person. */
  readonly unreachable: ReadonlySet<ChannelName>
}

export interface Order {
  /** As configured, for finding what comes after a channel that is no longer usable. */
  readonly configured: readonly ChannelName[]
  readonly usable: readonly ChannelName[]
  /** Whatever reaches this person now, in the order or not: what a resend may name. */
  readonly reachable: readonly ChannelName[]
  /** One clause per channel that was left out. */
  readonly skipped: readonly string[]
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
  const skip = (channel: ChannelName) => `${channel}: ${reasons.get(channel)}`
  return {
    configured,
    usable: configured.filter(isReachable),
    reachable: channelNames.filter(isReachable),
    skipped: configured.filter((channel) => !isReachable(channel)).map(skip),
  }

  function whyNot(channel: ChannelName): string | null {
    if (!settings.channels[channel].enabled) return 'not enabled for the app'
    if ((channel === 'email') !== (subject.recipientType === 'email')) {
      return `does not reach ${subject.recipientType === 'email' ? 'email addresses' : 'phone numbers'}`
    }
    if (channel === 'sms' && subject.isFixedLine) return 'the number is a fixed line'
    if (subject.unreachable.has(channel)) return 'a provider found the person unreachable here'
    return hasProvider(channel) ? null : 'no provider'
  }
}
