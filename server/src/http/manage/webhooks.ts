import type { EndpointAnswer, WebhookAnswer } from '@countersign/contract'
import { noSuch } from '../../domain/answers/index.ts'
import type { AppRef } from '../../domain/tenancy/index.ts'
import {
  countUnsent,
  type Endpoint,
  type EndpointRef,
  enableEndpoint,
  getEndpoint,
  getFirstEndpoint,
  listEndpoints,
  prepareEndpoint,
  prepareFirstEndpoint,
  removeEndpoint,
  rotateSecret,
  sendTestEvent,
  updateEndpoint,
  type WebhookDependencies,
} from '../../domain/webhooks/index.ts'
import { parseId } from '../../platform/ids.ts'
import { type Route, route } from '../route.ts'

/** The endpoint that a path names. */
function named(app: AppRef, { endpoint_id = '' }: Readonly<Record<string, string>>): EndpointRef {
  const endpointId = parseId('endpoint', endpoint_id)
  if (!endpointId) throw noSuch('webhook endpoint')
  return { ...app, endpointId }
}

export const webhookRoutes = (dependencies: WebhookDependencies): Route[] => [
  ...endpointRoutes(dependencies),
  ...firstEndpointRoutes(dependencies),
]

function endpointRoutes(dependencies: WebhookDependencies): Route[] {
  return [
    route('listWebhooks', async ({ scope }) => ({
      webhooks: (await listEndpoints(dependencies, scope.app)).map(endpointAnswer),
    })),
    route('createWebhook', ({ scope, body }, _actor, once) =>
      once(
        async (database, make) => {
          const { endpoint, secret } = await make(database)
          return { ...endpointAnswer(endpoint), signing_secret: secret }
        },
        () =>
          prepareEndpoint(dependencies, scope.app, {
            url: body.url,
            types: body.types ?? null,
            ownSecret: body.signing_secret ?? null,
          }),
      ),
    ),
    route('getEndpoint', async ({ scope, params }) =>
      endpointAnswer(await getEndpoint(dependencies, named(scope.app, params))),
    ),
    route('updateEndpoint', async ({ scope, params, body }) => {
      const { endpoint, secret } = await updateEndpoint(dependencies, named(scope.app, params), {
        url: body.url,
        types: body.types,
        ownSecret: body.signing_secret ?? null,
      })
      return { ...endpointAnswer(endpoint), signing_secret: secret }
    }),
    route('deleteEndpoint', async ({ scope, params }) => {
      const { endpointId, url } = await removeEndpoint(dependencies, named(scope.app, params))
      return { endpoint_id: endpointId, url }
    }),
    route('enableEndpoint', async ({ scope, params }) =>
      endpointAnswer(await enableEndpoint(dependencies, named(scope.app, params))),
    ),
    route('countUnsentOfEndpoint', async ({ scope, params }) => {
      const { endpointId } = await getEndpoint(dependencies, named(scope.app, params))
      return { unsent: await countUnsent(dependencies, scope.app, endpointId) }
    }),
    route('rotateSecretOfEndpoint', ({ scope, params }, _actor, once) =>
      once(async (database) => ({
        signing_secret: await rotateSecret({ ...dependencies, database }, named(scope.app, params)),
      })),
    ),
    route('testEndpoint', async ({ scope, params }, _actor, once) => {
      const sent = await once(async (database) => ({
        event_id: await sendTestEvent({ ...dependencies, database }, named(scope.app, params)),
      }))
      dependencies.nudgeEvents()
      return sent
    }),
  ]
}

/** Calls that do not name an endpoint act on the first one of the app. */
function firstEndpointRoutes(dependencies: WebhookDependencies): Route[] {
  const first = async (app: AppRef, database = dependencies.database): Promise<EndpointRef> => ({
    ...app,
    endpointId: (await getFirstEndpoint({ database }, app)).endpointId,
  })
  return [
    route('putWebhook', ({ scope, body }, _actor, once) =>
      once(
        async (database, set) => {
          const { endpoint, secret } = await set(database)
          return { ...stateOf(endpoint), signing_secret: secret }
        },
        () =>
          prepareFirstEndpoint(dependencies, scope.app, {
            url: body.url,
            ownSecret: body.signing_secret ?? null,
          }),
      ),
    ),
    route('getWebhook', async ({ scope }) => stateOf(await getFirstEndpoint(dependencies, scope.app))),
    route('deleteWebhook', ({ scope }, _actor, once) =>
      once(async (database) => {
        const { url } = await removeEndpoint({ database }, await first(scope.app, database))
        return { url }
      }),
    ),
    route('enableWebhook', async ({ scope }) =>
      stateOf(await enableEndpoint(dependencies, await first(scope.app))),
    ),
    route('countUnsent', async ({ scope }) => {
      const [endpoint] = await listEndpoints(dependencies, scope.app)
      return { unsent: await countUnsent(dependencies, scope.app, endpoint?.endpointId ?? null) }
    }),
    route('rotateWebhookSecret', ({ scope }, _actor, once) =>
      once(async (database) => ({
        signing_secret: await rotateSecret({ ...dependencies, database }, await first(scope.app, database)),
      })),
    ),
    route('testWebhook', async ({ scope }, _actor, once) => {
      const sent = await once(async (database) => ({
        event_id: await sendTestEvent({ ...dependencies, database }, await first(scope.app, database)),
      }))
      dependencies.nudgeEvents()
      return sent
    }),
  ]
}

/** An endpoint that is being probed is shown as active. */
const stateOf = ({ url, status, pausedAt, reason, held }: Endpoint): WebhookAnswer => ({
  url,
  status: status === 'paused' ? 'paused' : 'active',
  paused_at: pausedAt?.toISOString() ?? null,
  reason,
  held,
})

const endpointAnswer = (endpoint: Endpoint): EndpointAnswer => ({
  endpoint_id: endpoint.endpointId,
  ...stateOf(endpoint),
  types: endpoint.types && [...endpoint.types],
  created_at: endpoint.createdAt.toISOString(),
})
