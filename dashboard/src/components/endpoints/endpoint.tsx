import type { EndpointAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Status } from '#components/ui/badge.tsx'
import { Button, buttonClass } from '#components/ui/button.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { Draining } from './draining.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { paramsOf } from './params.ts'
import { PausedNotice } from './paused-notice.tsx'
import { RemoveEndpoint } from './remove-endpoint.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { TestEvent } from './test-event.tsx'

interface EndpointProps {
  readonly appId: string
  readonly endpoint: EndpointAnswer
  readonly isOnly: boolean
  readonly onSecret: (secret: string | null) => void
}

export function Endpoint({ appId, endpoint, isOnly, onSecret }: EndpointProps) {
  const [isEditing, setEditing] = useState(false)
  /** How many events were held when the endpoint was enabled on this page. */
  const [released, setReleased] = useState(0)
  const { reason } = useMayChangeApp(appId)
  const params = paramsOf(appId, endpoint)
  const isPaused = endpoint.status === 'paused'
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="sr-only">
        {isPaused ? 'The endpoint is paused' : ''}
      </p>
      {isPaused && <PausedNotice appId={appId} endpoint={endpoint} onEnabled={setReleased} />}
      {!isPaused && released > 0 && (
        <Draining params={params} released={released} onDismiss={() => setReleased(0)} />
      )}
      <dl className="divide-y border-y">
        <Row label="State">
          <Status tone={isPaused ? 'warn' : 'good'}>{isPaused ? 'Paused' : 'Active'}</Status>
        </Row>
        <Row
          label="Address"
          action={
            <Button size="sm" disabledReason={reason} onClick={() => setEditing(true)}>
              Change
            </Button>
          }
        >
          <CopyText text={endpoint.url} label="Copy the address" className={wholeAddress} />
        </Row>
        <Row label="Events">{endpoint.types?.join(', ') ?? 'All'}</Row>
        <Row label="Signing secret" action={<RotateSecret params={params} onSecret={onSecret} />}>
          <span className="text-muted">Shown only once, when it was created</span>
        </Row>
      </dl>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <TestEvent params={params} isPaused={isPaused} />
        <div className="flex flex-wrap gap-2">
          <Link
            to="/a/$appId/events"
            params={{ appId }}
            search={{ endpoint: endpoint.endpoint_id }}
            className={buttonClass()}
          >
            View its events
          </Link>
          <RemoveEndpoint params={params} isOnly={isOnly} />
        </div>
      </div>
      {isEditing && (
        <EndpointDialog
          appId={appId}
          endpoint={endpoint}
          onSecret={onSecret}
          onClose={() => setEditing(false)}
        />
      )}
    </div>
  )
}

/** A long address wraps instead of being cut off. */
const wholeAddress =
  '-ml-1 max-w-full text-left text-ink [&>span:first-child]:break-all [&>span:first-child]:whitespace-normal'

interface RowProps {
  readonly label: string
  readonly children: ReactNode
  readonly action?: ReactNode
}

const Row = ({ label, children, action }: RowProps) => (
  <div className="flex min-h-11 gap-x-3 py-1.5 text-sm max-sm:flex-col sm:items-center">
    <dt className="w-28 shrink-0 text-muted">{label}</dt>
    <dd className="flex min-w-0 flex-1 items-center justify-between gap-3">
      <span className="min-w-0 flex-1">{children}</span>
      {action}
    </dd>
  </div>
)
