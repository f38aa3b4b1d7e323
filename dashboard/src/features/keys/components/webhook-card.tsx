import { useQuery } from '@tanstack/react-query'
import Webhook from 'lucide-react/icons/webhook'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { webhookQuery } from '#lib/webhook.ts'
import { Endpoint } from './endpoint.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

export function WebhookCard({ appId }: { readonly appId: string }) {
  const query = useQuery(webhookQuery(appId))
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Card title="Webhook endpoint" description="Where this app’s events are sent, signed.">
      <Loaded query={query} loading={<SkeletonRows rows={3} />}>
        {(webhook) =>
          webhook ? (
            <Endpoint appId={appId} webhook={webhook} onSecret={setSecret} />
          ) : (
            <NoEndpoint appId={appId} onSecret={setSecret} />
          )
        }
      </Loaded>
      {secret && (
        <SecretDialog
          title="The signing secret"
          label="Signing secret"
          secret={secret}
          onClose={() => setSecret(null)}
        >
          <p className="text-sm text-muted">
            Your endpoint checks every request with it. After a rotation, events are also signed with the
            previous secret for 24 hours, so there is time to replace it.
          </p>
        </SecretDialog>
      )}
    </Card>
  )
}

interface NoEndpointProps {
  readonly appId: string
  readonly onSecret: (secret: string | null) => void
}

function NoEndpoint({ appId, onSecret }: NoEndpointProps) {
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
            Set an endpoint
          </Button>
        }
      >
        Your backend can be told when a verification is approved or fails, and when a message is delivered or
        not. Until then events are kept as skipped and can be replayed later.
      </Empty>
      {isOpen && (
        <EndpointDialog appId={appId} url={null} onSecret={onSecret} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
