/** The order of channels for one recipient, and the account that carries a message on a channel. */
import type { ChannelName } from '@countersign/contract'
import {
  effectiveOrder,
  nextChannel,
  type Order,
  type Provider,
  type Providers,
  type ResendStep,
} from '../../routing/index.ts'
import { endOf } from '../verification.ts'
import type { BatchState } from './batch.ts'
import { noOwnDemands, type OwnDemands, type Step, type Subject } from './rule.ts'

export interface Route {
  readonly order: Order
  readonly step: ResendStep
}

/** Where a call would go, whether it is allowed or not. */
export function routeFor(
  subject: Subject,
  batch: BatchState,
  demands: OwnDemands,
  providers: Providers,
): Route {
  const unreachable = batch.unreachableFor(subject.app.appId, subject.recipientHash)
  const order = narrowed(orderFor(subject, unreachable, providers, demands), subject.among)
  const step = subject.resend
    ? resendStep(subject.app, subject.resend, order, batch)
    : firstStep(subject, order)
  if (!demands.needsLink || step.kind !== 'message') return { order, step }
  return { order, step: linkStep(subject, order.reachable) ?? nowhere }
}

const nowhere = { kind: 'nowhere' } as const

/** Like a resend, a send that names its channels may use one outside the order, after those in it. */
function narrowed(order: Order, among: Subject['among']): Order {
  if (among === null) return order
  const reachable = order.reachable.filter((channel) => among.includes(channel))
  const usable = order.usable.filter((channel) => among.includes(channel))
  return { ...order, reachable, usable: [...new Set([...usable, ...reachable])] }
}

function resendStep(
  { settings }: Subject['app'],
  { current, named }: NonNullable<Subject['resend']>,
  order: Order,
  { nowMs }: BatchState,
): ResendStep {
  if (endOf(current, nowMs)) return nowhere
  return nextChannel(order, settings.channels.whatsapp.mode, current, named)
}

function firstStep({ app }: Subject, { usable: [channel] }: Order): ResendStep {
  if (!channel) return nowhere
  const { mode } = app.settings.channels.whatsapp
  return channel === 'whatsapp' && mode !== 'template'
    ? { kind: 'link', linkMode: mode }
    : { kind: 'message', channel, isFresh: true }
}

/** The link that the person has, or a new one; null if WhatsApp is not among these channels, or is not in a link mode. */
export function linkStep({ app, resend }: Subject, among: readonly ChannelName[]): Step | null {
  const { mode } = app.settings.channels.whatsapp
  if (mode === 'template' || !among.includes('whatsapp')) return null
  return resend && resend.current.linkMode !== null ? { kind: 'same-link' } : { kind: 'link', linkMode: mode }
}

export function orderFor(
  subject: Subject,
  unreachable: ReadonlySet<ChannelName>,
  providers: Providers,
  { channels: left }: OwnDemands = noOwnDemands,
): Order {
  const { app, recipientType, country, isFixedLine } = subject
  const hasProvider = (channel: ChannelName) => providers.usable(app.companyId, channel, country).length > 0
  return effectiveOrder(app.settings, { recipientType, country, isFixedLine, unreachable, left }, hasProvider)
}

export const channelOf = (step: Step): ChannelName => (step.kind === 'message' ? step.channel : 'whatsapp')

export function bestProvider(subject: Subject, channel: ChannelName, providers: Providers): Provider {
  const [best] = providers.usable(subject.app.companyId, channel, subject.country)
  if (!best) throw new Error(`no provider for ${channel}, which the order holds`)
  return best
}

/** A message that the simulator carries reaches nobody and costs nothing. */
export const isSimulated = (subject: Subject, channel: ChannelName, providers: Providers): boolean =>
  bestProvider(subject, channel, providers).isSimulated ?? false
