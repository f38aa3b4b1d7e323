/** Orders of channels, and what changes them. */
import type { AppSettings, ChannelName } from '@countersign/contract'
import { channelLabels } from '#lib/format.ts'

export type Order = readonly ChannelName[]
export type Channels = AppSettings['channels']

export function move(order: Order, from: number, to: number): Order {
  const moved = order[from]
  return moved === undefined ? order : order.toSpliced(from, 1).toSpliced(to, 0, moved)
}

/**
 * The service refuses an order that lists a channel which is off, unless the same change names the channel, so that
 * nobody lists one by mistake. On this page people see that it is off, and it keeps its place until it is on again.
 */
export const namingThoseOff = (order: Order, channels: Channels) => {
  const off = order.filter((channel) => !channels[channel].enabled)
  return off.length > 0 ? { channels: Object.fromEntries(off.map((channel) => [channel, {}])) } : {}
}

const place = (order: Order, index: number) => `${index + 1} of ${order.length}`

export const instructions =
  'To move a channel, press space or enter, then the up and down arrow keys. Press space or enter again to drop it, or escape to leave it where it was.'

export const announceLift = (order: Order, channel: ChannelName) =>
  `${channelLabels[channel]} is lifted. It is ${place(order, order.indexOf(channel))}.`
export const announceMove = (order: Order, channel: ChannelName, to: number) =>
  `${channelLabels[channel]} is now ${place(order, to)}.`
export const announceDrop = (order: Order, channel: ChannelName, to: number) =>
  `${channelLabels[channel]} is dropped. It is ${place(order, to)}.`
export const announceCancel = (channel: ChannelName) => `${channelLabels[channel]} is back where it was.`
