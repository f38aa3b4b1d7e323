import type { ChannelName } from '@countersign/contract'
import { Decision } from '#components/ui/decision.tsx'
import { Money } from '#components/ui/values.tsx'
import { asSentence } from '#lib/api-error.ts'
import { channelLabels } from '#lib/format.ts'
import type { Preview } from '../api/use-preview.ts'
import type { Channels, Order } from '../lib/order.ts'

interface PreviewResultProps {
  readonly preview: Preview
  readonly channels: Channels
}

export const PreviewResult = ({ preview, channels }: PreviewResultProps) => (
  <div className="flex flex-col gap-4 border-t pt-3">
    <div role="status">
      {'error' in preview ? (
        <Refusal type={preview.error.type} message={preview.error.message} />
      ) : (
        <Accepted
          channel={preview.channel}
          order={preview.order}
          price={preview.price}
          isLink={preview.channel === 'whatsapp' && channels.whatsapp.mode !== 'template'}
        />
      )}
    </div>
    <section aria-label="Decision">
      <h3 className="mb-2 text-xs text-muted">How it was decided</h3>
      <Decision rules={preview.decision} />
    </section>
  </div>
)

interface RefusalProps {
  readonly type: string
  readonly message: string
}

const Refusal = ({ type, message }: RefusalProps) => (
  <div className="flex flex-col gap-1 rounded-md border border-bad bg-bad-soft px-3 py-2.5 text-sm">
    <p className="font-medium text-bad">The send would be refused</p>
    <p>{asSentence(message)}</p>
    <code className="font-mono text-xs text-muted">{type}</code>
  </div>
)

interface AcceptedProps {
  readonly channel: ChannelName
  readonly order: Order
  readonly price: string
  /** The person sends the message, so nothing is sent or charged at first. */
  readonly isLink: boolean
}

const Accepted = ({ channel, order, price, isLink }: AcceptedProps) => {
  const others = order.filter((one) => one !== channel)
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
      <dt className="text-muted">First</dt>
      <dd className="font-semibold">
        {channelLabels[channel]}
        {isLink && <span className="font-normal text-muted"> as a link; nothing is sent at first</span>}
      </dd>
      <dt className="text-muted">Then</dt>
      <dd>
        {others.length > 0 ? others.map((one) => channelLabels[one]).join(' → ') : 'the same channel again'}
      </dd>
      <dt className="text-muted">Price</dt>
      <dd>
        <Money amount={price} />
      </dd>
    </dl>
  )
}
