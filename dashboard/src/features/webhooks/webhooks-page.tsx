import type { EndpointAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useState } from 'react'
import { Endpoint } from '#components/endpoints/endpoint.tsx'
import { EndpointDialog } from '#components/endpoints/endpoint-dialog.tsx'
import { EndpointSecret } from '#components/endpoints/endpoint-secret.tsx'
import { NoEndpoint } from '#components/endpoints/no-endpoint.tsx'
import { SignatureCard } from '#components/endpoints/signature-card.tsx'
import { Button, buttonClass } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useOpened } from '#lib/use-opened.ts'
import { endpointsQuery, mostEndpoints } from '#lib/webhook.ts'

export function WebhooksPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/webhooks' })
  const query = useQuery(endpointsQuery(appId))
  const { may, reason } = useMayChangeApp(appId)
  const [isAdding, setAdding] = useOpened('add-endpoint')
  const [secret, setSecret] = useState<string | null>(null)
  const isFull = (query.data?.webhooks.length ?? 0) >= mostEndpoints
  const full = isFull ? `An app has at most ${mostEndpoints} endpoints. Remove one first.` : undefined
  return (
    <Page
      title="Webhooks"
      description="Where this app’s events go. Each endpoint has its own event types and signing secret, and is paused by itself when it fails."
      actions={
        <>
          <Link to="/a/$appId/events" params={{ appId }} className={buttonClass()}>
            Events
          </Link>
          <Button variant="primary" disabledReason={reason ?? full} onClick={() => setAdding(true)}>
            <Plus aria-hidden="true" />
            Add an endpoint
          </Button>
        </>
      }
    >
      <Loaded query={query} loading={<SkeletonRows rows={4} />}>
        {({ webhooks }) => <Endpoints appId={appId} endpoints={webhooks} onSecret={setSecret} />}
      </Loaded>
      <SignatureCard />
      {isAdding && may && !isFull && (
        <EndpointDialog appId={appId} endpoint={null} onSecret={setSecret} onClose={() => setAdding(false)} />
      )}
      {secret && <EndpointSecret secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  )
}

/** An endpoint's address without the protocol, which tells nothing, and the query, which may be secret. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname === '/' ? '' : pathname}`
}

interface EndpointsProps {
  readonly appId: string
  readonly endpoints: readonly EndpointAnswer[]
  readonly onSecret: (secret: string | null) => void
}

function Endpoints({ appId, endpoints, onSecret }: EndpointsProps) {
  if (endpoints.length === 0) {
    return (
      <Card>
        <NoEndpoint appId={appId} onSecret={onSecret} />
      </Card>
    )
  }
  return endpoints.map((endpoint) => (
    <Card
      key={endpoint.endpoint_id}
      title={<span className="[overflow-wrap:anywhere]">{nameOf(endpoint.url)}</span>}
    >
      <Endpoint appId={appId} endpoint={endpoint} isOnly={endpoints.length === 1} onSecret={onSecret} />
    </Card>
  ))
}
