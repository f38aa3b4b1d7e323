import type { ReactNode } from 'react'
import { CodeBlock, CopyText } from '#components/ui/copy.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { EventState } from '#components/ui/event-state.tsx'
import { ExactTime } from '#components/ui/values.tsx'
import { plural } from '#lib/format.ts'
import type { ListedEvent } from '../api/use-events.ts'
import { Attempts } from './attempts.tsx'
import { Destinations } from './destinations.tsx'
import { VerificationLink } from './events-table.tsx'
import { ReplayEvent } from './replay-event.tsx'

interface EventDialogProps {
  readonly appId: string
  readonly event: ListedEvent & { readonly body?: string }
  readonly replayReason: string | undefined
  readonly onClose: () => void
}

const statusWords: Readonly<Record<ListedEvent['status'], string>> = {
  waiting: 'It is waiting for its next attempt.',
  held: 'The endpoint is paused. It will be sent once someone enables it.',
  sending: 'An attempt is under way.',
  delivered: 'Your backend accepted it.',
  failed: 'It will not be tried again automatically.',
  expired: 'It was held for seven days and will not be sent automatically.',
  skipped: 'There was no endpoint for it.',
}

export const EventDialog = ({ appId, event, replayReason, onClose }: EventDialogProps) => (
  <Dialog isOpen onOpenChange={onClose} title={event.type} className="sm:max-w-2xl">
    <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
      <Row label="Event">
        <CopyText text={event.id} label="Copy the event id" className="-ml-1" />
      </Row>
      <Row label="Status">
        <span className="flex flex-wrap items-center gap-x-2">
          <EventState status={event.status} />
          <span className="text-muted">{statusWords[event.status]}</span>
        </span>
      </Row>
      <Row label="Verification">
        <VerificationLink appId={appId} otpId={event.otp_id} isTest={event.test} />
      </Row>
      {event.delivery_id && (
        <Row label="Delivery">
          <CopyText text={event.delivery_id} label="Copy the delivery id" className="-ml-1" />
        </Row>
      )}
      <Row label="Created">
        <ExactTime value={event.created_at} />
      </Row>
      {event.status === 'waiting' && event.next_attempt_at && (
        <Row label="Next attempt">
          <ExactTime value={event.next_attempt_at} />
        </Row>
      )}
    </dl>
    {event.endpoints.length > 1 && <Destinations event={event} replayReason={replayReason} />}
    {event.body && (
      <div className="shrink-0">
        <CodeBlock label="Body (the same in every attempt)" code={event.body} />
      </div>
    )}
    <section className="flex flex-col gap-2">
      <div className="flex items-end justify-between gap-3">
        <h3 className="text-sm font-semibold">{plural(event.attempts.length, 'attempt')}</h3>
        <ReplayEvent event={event} endpointId={null} reason={replayReason} look="button" />
      </div>
      <p className="text-xs text-muted">
        A replay sends the same id and content with a new signature, once and immediately. If that fails, the
        event counts as failed, even if it was delivered before.
      </p>
      <Attempts attempts={event.attempts} endpoints={event.endpoints} />
    </section>
  </Dialog>
)

interface RowProps {
  readonly label: string
  readonly children: ReactNode
}

const Row = ({ label, children }: RowProps) => (
  <>
    <dt className="text-muted">{label}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
)
