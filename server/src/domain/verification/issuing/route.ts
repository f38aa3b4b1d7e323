/** The order of channels for one person, and who carries a message on one. */
import type { ChannelName } from '@countersign/contract'
import { effectiveOrder, type Order, type Provider, type Providers } from '../../routing/index.ts'
import type { Step, Subject } from './rule.ts'

export function orderFor(
  subject: Subject,
  unreachable: ReadonlySet<ChannelName>,
  providers: Providers,
): Order {
  const { app, recipientType, country, isFixedLine } = subject
  const hasProvider = (channel: ChannelName) => providers.usable(app.companyId, channel, country).length > 0
  return effectiveOrder(app.settings, { recipientType, country, isFixedLine, unreachable }, hasProvider)
}

export const channelOf = (step: Step): ChannelName => (step.kind === 'message' ? step.channel : 'whatsapp')

export function bestProvider(subject: Subject, channel: ChannelName, providers: Providers): Provider {
  const [best] = providers.usable(subject.app.companyId, channel, subject.country)
  if (!best) throw new Error(`no provider for ${channel}, which the order holds`)
  return best
}

/** What the simulator carries reaches nobody and costs nobody anything. */
export const isSimulated = (subject: Subject, channel: ChannelName, providers: Providers): boolean =>
  bestProvider(subject, channel, providers).isSimulated ?? false
