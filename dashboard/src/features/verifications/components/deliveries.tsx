import type { ShownDelivery } from '@countersign/contract'
import type { ReactNode } from 'react'
import { Card } from '#components/ui/card.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { Channel, DeliveryState, ExactTime, Money } from '#components/ui/values.tsx'
import { plural } from '#lib/format.ts'
import { usePermission } from '#lib/session.ts'

interface DeliveriesProps {
  readonly companyId: string
  readonly deliveries: readonly ShownDelivery[]
}

export function Deliveries({ companyId, deliveries }: DeliveriesProps) {
  const mayRead = usePermission(companyId, 'developer').reason === undefined
  return (
    <Card title="Messages" isFlush>
      {deliveries.length === 0 ? (
        <p className="px-4 pb-4 text-sm text-muted">
          No message was handed to a provider: the person has not written from the WhatsApp link.
        </p>
      ) : (
        <ul aria-label="Messages" className="divide-y border-t">
          {deliveries.map((delivery) => (
            <li key={delivery.delivery_id} className="flex flex-col gap-2 px-4 py-3 text-sm">
              <Message delivery={delivery} mayRead={mayRead} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const charges: Readonly<Record<ShownDelivery['charge'], string>> = {
  reserved: 'reserved',
  captured: 'charged',
  returned: 'refunded',
}

interface MessageProps {
  readonly delivery: ShownDelivery
  /** Whether the texts may be shown, as they may to developers and owners. */
  readonly mayRead: boolean
}

const Message = ({ delivery, mayRead }: MessageProps) => (
  <>
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Channel name={delivery.channel} />
      <DeliveryState status={delivery.status} />
      <span className="ml-auto text-muted">
        <ExactTime value={delivery.updated_at} />
      </span>
    </div>
    {delivery.text && (
      <p className="w-fit max-w-prose rounded-lg bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
        {delivery.text}
      </p>
    )}
    {delivery.text === null && delivery.status !== 'queued' && (
      <p className="text-muted">{whyNoText(delivery, mayRead)}</p>
    )}
    <dl className="flex flex-wrap gap-x-6 gap-y-1 text-muted">
      <Fact label="Account">
        <Account {...delivery} />
      </Fact>
      <Fact label="Price">
        <Money amount={delivery.price} /> {charges[delivery.charge]}
      </Fact>
      {delivery.segments !== null && (
        <Fact label="Length">{plural(delivery.segments, 'segment', 'segments')}</Fact>
      )}
      {delivery.attempts > 1 && <Fact label="Attempts">{delivery.attempts}</Fact>}
      <Fact label="Result">
        {delivery.error ? `${delivery.error.message} (${delivery.error.code})` : saidNothing(delivery)}
      </Fact>
    </dl>
    <CopyText text={delivery.delivery_id} label="Copy the id" className="w-fit px-0" />
  </>
)

const ownWords: Partial<Record<ShownDelivery['channel'], string>> = {
  whatsapp: 'Sent as the template that WhatsApp has approved, with the code filled in.',
  telegram: 'Sent in Telegram’s own words, with the code.',
}

const whyNoText = ({ channel }: ShownDelivery, mayRead: boolean): string =>
  ownWords[channel] ??
  (mayRead ? 'The text is not kept.' : 'Only developers and owners may see texts, with the code masked.')

function saidNothing({ status }: ShownDelivery): string {
  if (status === 'delivered') return 'delivered'
  return status === 'sent' ? 'accepted; no receipt yet' : 'nothing yet'
}

const owners = { company: 'your account', operator: 'the operator’s account', simulator: 'the simulator' }

function Account({ provider, status }: Pick<ShownDelivery, 'provider' | 'status'>) {
  const { name, kind, owner } = provider
  const whose = owner ? owners[owner] : 'an account that was removed'
  const called = name ?? kind ?? provider.provider_id
  return (
    <>
      {status === 'queued' ? 'waiting for ' : ''}
      <span title={provider.provider_id}>{called}</span>, {whose}
    </>
  )
}

const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flex gap-1.5">
    <dt className="text-faint">{label}</dt>
    <dd className="min-w-0 break-words text-ink">{children}</dd>
  </div>
)
