/** The effective order: the country's list, or the default, less what cannot reach this person now. */
import type { AppSettings, ChannelName, RecipientType } from '@countersign/contract'

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
  const usable: ChannelName[] = []
  const skipped: string[] = []
  for (const channel of configured) {
    const reason = whyNot(channel)
    if (reason === null) usable.push(channel)
    else skipped.push(`${channel}: ${reason}`)
  }
  return { configured, usable, skipped }

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
