/**
 * Where a resend goes.
 *
 * A link is only given by a send, or by a resend that names WhatsApp. A plain resend on a link gives the same link again,
 * and any other plain resend skips WhatsApp while it is in a link mode. A named channel gets a fresh code, and need not
 * be in the order.
 */
import type { ChannelName, WhatsappMode } from '@countersign/contract'
import type { Order } from './order.ts'

export type LinkMode = Exclude<WhatsappMode, 'template'>

export interface ResendState {
  readonly channel: ChannelName
  /** Not null while the verification is on a wa.me link. */
  readonly linkMode: LinkMode | null
}

export type ResendStep =
  /** The link that the person already has; nothing is sent. */
  | { readonly kind: 'same-link' }
  | { readonly kind: 'link'; readonly linkMode: LinkMode }
  | { readonly kind: 'message'; readonly channel: ChannelName; readonly isFresh: boolean }
  | { readonly kind: 'nowhere' }

export function nextChannel(
  order: Order,
  whatsappMode: WhatsappMode,
  current: ResendState,
  named: ChannelName | null,
): ResendStep {
  const linkMode = whatsappMode === 'template' ? null : whatsappMode
  if (named !== null) {
    if (!order.reachable.includes(named)) return { kind: 'nowhere' }
    return named === 'whatsapp' && linkMode
      ? { kind: 'link', linkMode }
      : { kind: 'message', channel: named, isFresh: true }
  }
  if (current.linkMode !== null && order.reachable.includes('whatsapp')) return { kind: 'same-link' }
  const isSent = (channel: ChannelName) => !(channel === 'whatsapp' && linkMode)
  const candidates = order.usable.filter(isSent)
  const position = order.configured.indexOf(current.channel)
  const next =
    candidates.find((channel) => order.configured.indexOf(channel) > position) ??
    candidates.at(-1) ??
    order.reachable.find((channel) => channel === current.channel && isSent(channel))
  // A link that can no longer be used ends, and so does its code.
  return next ? { kind: 'message', channel: next, isFresh: current.linkMode !== null } : { kind: 'nowhere' }
}
