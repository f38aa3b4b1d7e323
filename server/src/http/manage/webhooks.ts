import type { ListedEventAnswer, WebhookAnswer } from '@countersign/contract'
import { noSuch } from '../../domain/answers/index.ts'
import type { AppRef } from '../../domain/tenancy/index.ts'
import {
  countUnsent,
  type Endpoint,
  enableEndpoint,
  getEndpoint,
  getEvent,
  type ListedEvent,
  listEvents,
  removeEndpoint,
  replayEvent,
  replayFailed,
  rotateSecret,
  sendTestEvent,
  setEndpoint,
  type WebhookDependencies,
} from '../../domain/webhooks/index.ts'
import { parseId } from '../../platform/ids.ts'
import { type Route, route } from '../route.ts'
import { pageOf } from './page.ts'

export function webhookRoutes(dependencies: WebhookDependencies): Route[] {
  const isEndpointPaused = async (app: AppRef) =>
    (await getEndpoint(dependencies, app).catch(() => null))?.status === 'paused'
  return [
    route('putWebhook', async ({ scope, body }) => {
      const { endpoint, secret } = await setEndpoint(dependencies, scope.app, {
        url: body.url,
        ownSecret: body.signing_secret ?? null,
      })
      return { ...endpointAnswer(endpoint), signing_secret: secret }
    }),
    route('getWebhook', async ({ scope }) => endpointAnswer(await getEndpoint(dependencies, scope.app))),
    route('deleteWebhook', async ({ scope }) => {
      const { url } = await getEndpoint(dependencies, scope.app)
      await removeEndpoint(dependencies, scope.app)
      return { url }
    }),
    route('enableWebhook', async ({ scope }) =>
      endpointAnswer(await enableEndpoint(dependencies, scope.app)),
    ),
    route('countUnsent', async ({ scope }) => ({
      unsent: await countUnsent(dependencies, scope.app),
    })),
    route('rotateWebhookSecret', async ({ scope }) => ({
      signing_secret: await rotateSecret(dependencies, scope.app),
    })),
    route('testWebhook', async ({ scope }) => ({
      event_id: await sendTestEvent(dependencies, scope.app),
    })),
    route('listEvents', async ({ scope, query }) => {
      const filter = {
        ...pageOf(query),
        status: query.status === 'held' ? ('waiting' as const) : (query.status ?? null),
      }
      const { rows, nextCursor } = await listEvents(dependencies, scope.app, filter)
      const isPaused = await isEndpointPaused(scope.app)
      return { events: rows.map((event) => eventAnswer(event, isPaused)), next_cursor: nextCursor }
    }),
    route('getEvent', async ({ scope, params }) => {
      const event = await getEvent(dependencies, scope.app, eventIdOf(params))
      return { ...eventAnswer(event, await isEndpointPaused(scope.app)), app_id: scope.app.appId }
    }),
    route('replayEvent', async ({ scope, params }) => {
      const eventId = eventIdOf(params)
      await replayEvent(dependencies, scope.app, eventId)
      return { id: eventId }
    }),
    route('replayFailed', async ({ scope, body }) => ({
      replayed: await replayFailed(dependencies, scope.app, new Date(body.since)),
    })),
  ]
}

function eventIdOf(params: Readonly<Record<string, string>>): string {
  const eventId = parseId('event', params.event_id ?? '')
  if (!eventId) throw noSuch('event')
  return eventId
}

const eventAnswer = (event: ListedEvent, isPaused: boolean): ListedEventAnswer => ({
  id: event.eventId,
  type: event.type,
  otp_id: event.otpId,
  delivery_id: event.deliveryId,
  created_at: event.createdAt.toISOString(),
  status: event.status === 'waiting' && isPaused ? 'held' : event.status,
  next_attempt_at: isPaused ? null : (event.nextAttemptAt?.toISOString() ?? null),
  test: event.isTest,
  attempts: event.attempts.map(({ at, status, latencyMs, answer, error }) => ({
    at: at.toISOString(),
    status,
    latency_ms: latencyMs,
    answer,
    error,
  })),
})

/** A probe is under way by itself: to whoever looks, the endpoint is active. */
const endpointAnswer = ({ url, status, pausedAt, reason, held }: Endpoint): WebhookAnswer => ({
  url,
  status: status === 'paused' ? 'paused' : 'active',
  paused_at: pausedAt?.toISOString() ?? null,
  reason,
  held,
})
