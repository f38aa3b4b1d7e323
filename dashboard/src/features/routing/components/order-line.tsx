import { channelLabels } from '#lib/format.ts'
import type { Channels, Order } from '../lib/order.ts'

interface OrderLineProps {
  readonly order: Order
  readonly channels: Channels
}

/** The order of channels in one line. */
export const OrderLine = ({ order, channels }: OrderLineProps) => (
  <ol className="inline-flex flex-wrap gap-x-1.5">
    {order.map((channel, index) => (
      <li key={channel} className="whitespace-nowrap">
        {index > 0 && (
          <span aria-hidden="true" className="mr-1.5 text-faint">
            →
          </span>
        )}
        {channels[channel].enabled ? (
          channelLabels[channel]
        ) : (
          <span className="text-faint">{channelLabels[channel]} (off)</span>
        )}
      </li>
    ))}
  </ol>
)
