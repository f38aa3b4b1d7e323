import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Endpoint } from '#components/endpoints/endpoint.tsx'
import { EndpointSecret } from '#components/endpoints/endpoint-secret.tsx'
import { NoEndpoint } from '#components/endpoints/no-endpoint.tsx'
import { buttonClass } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { endpointsQuery } from '#lib/webhook.ts'

/** The first endpoint, which is the only one of most apps. Further ones are on a page of their own. */
export function WebhookCard({ appId }: { readonly appId: string }) {
  const query = useQuery(endpointsQuery(appId))
  const [secret, setSecret] = useState<string | null>(null)
  const count = query.data?.webhooks.length ?? 0
  return (
    <Card
      title="Webhook endpoint"
      description={
        count > 1
          ? `The first of ${count}. Signed events of this app are sent here.`
          : 'Signed events of this app are sent here.'
      }
      actions={
        <Link to="/a/$appId/webhooks" params={{ appId }} className={buttonClass({ size: 'sm' })}>
          All endpoints
        </Link>
      }
    >
      <Loaded query={query} loading={<SkeletonRows rows={3} />}>
        {({ webhooks: [first] }) =>
          first ? (
            <Endpoint
              key={first.endpoint_id}
              appId={appId}
              endpoint={first}
              isOnly={count === 1}
              onSecret={setSecret}
            />
          ) : (
            <NoEndpoint appId={appId} onSecret={setSecret} />
          )
        }
      </Loaded>
      {secret && <EndpointSecret secret={secret} onClose={() => setSecret(null)} />}
    </Card>
  )
}
