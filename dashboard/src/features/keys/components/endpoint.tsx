import type { WebhookAnswer } from '@countersign/contract'
import { type ReactNode, useState } from 'react'
import { Status } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { Draining } from './draining.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { PausedNotice } from './paused-notice.tsx'
import { RemoveEndpoint } from './remove-endpoint.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { TestEvent } from './test-event.tsx'

interface EndpointProps {
  readonly appId: string
  readonly webhook: WebhookAnswer
  readonly onSecret: (secret: string | null) => void
}

export function Endpoint({ appId, webhook, onSecret }: EndpointProps) {
  const [isEditing, setEditing] = useState(false)
  /** How many events were held when somebody enabled it here. */
  const [released, setReleased] = useState(0)
  const { reason } = useMayChangeApp(appId)
  const isPaused = webhook.status === 'paused'
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="sr-only">
        {isPaused ? 'The endpoint is paused' : ''}
      </p>
      {isPaused && <PausedNotice appId={appId} webhook={webhook} onEnabled={setReleased} />}
      {!isPaused && released > 0 && (
        <Draining appId={appId} released={released} onDismiss={() => setReleased(0)} />
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
          <CopyText text={webhook.url} label="Copy the address" className="-ml-1 max-w-full text-ink" />
        </Row>
        <Row label="Signing secret" action={<RotateSecret appId={appId} onSecret={onSecret} />}>
          <span className="text-muted">Shown once, when it was made</span>
        </Row>
      </dl>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <TestEvent appId={appId} isPaused={isPaused} />
        <RemoveEndpoint appId={appId} />
      </div>
      {isEditing && (
        <EndpointDialog
          appId={appId}
          url={webhook.url}
          onSecret={onSecret}
          onClose={() => setEditing(false)}
        />
      )}
    </div>
  )
}

interface RowProps {
  readonly label: string
  readonly children: ReactNode
  readonly action?: ReactNode
}

const Row = ({ label, children, action }: RowProps) => (
  <div className="flex min-h-11 items-center gap-3 py-1.5 text-sm">
    <dt className="w-28 shrink-0 text-muted">{label}</dt>
    <dd className="flex min-w-0 flex-1 items-center justify-between gap-3">
      <span className="min-w-0 flex-1">{children}</span>
      {action}
    </dd>
  </div>
)
