import Webhook from 'lucide-react/icons/webhook'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { EndpointDialog } from './endpoint-dialog.tsx'

interface NoEndpointProps {
  readonly appId: string
  readonly onSecret: (secret: string | null) => void
}

export function NoEndpoint({ appId, onSecret }: NoEndpointProps) {
  const [isOpen, setOpen] = useState(false)
  const { reason } = useMayChangeApp(appId)
  return (
    <>
      <Empty
        title="No endpoint yet"
        icon={<Webhook />}
        className="py-8"
        action={
          <Button variant="primary" disabledReason={reason} onClick={() => setOpen(true)}>
            Add an endpoint
          </Button>
        }
      >
        Your backend can be told when a verification is approved or fails, and when a message is delivered or
        fails. Until then, events are marked as skipped; you can replay them later.
      </Empty>
      {isOpen && (
        <EndpointDialog appId={appId} endpoint={null} onSecret={onSecret} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
