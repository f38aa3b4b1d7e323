import { AppError, type ListedEventAnswer, type WebhookAnswer } from '@countersign/contract'
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
import { type AppId, parseId } from '../../platform/ids.ts'
import { type Route, route } from '../route.ts'
import { appIdOf } from './apps.ts'

export function webhookRoutes(dependencies: WebhookDependencies): Route[] {
  const isEndpointPaused = async (appId: AppId) =>
    (await getEndpoint(dependencies, appId).catch(() => null))?.status === 'paused'
  return [
    route('putWebhook', async ({ params, body }) => {
      const { endpoint, secret } = await setEndpoint(dependencies, appIdOf(params), {
        url: body.url,
        ownSecret: body.signing_secret ?? null,
      })
      return { ...endpointAnswer(endpoint), signing_secret: secret }
    }),
    route('getWebhook', async ({ params }) =>
      endpointAnswer(await getEndpoint(dependencies, appIdOf(params))),
    ),
    route('deleteWebhook', async ({ params }) => {
      const { url } = await getEndpoint(dependencies, appIdOf(params))
      await removeEndpoint(dependencies, appIdOf(params))
      return { url }
    }),
    route('enableWebhook', async ({ params }) =>
      endpointAnswer(await enableEndpoint(dependencies, appIdOf(params))),
    ),
    route('countUnsent', async ({ params }) => ({
      unsent: await countUnsent(dependencies, appIdOf(params)),
    })),
    route('rotateWebhookSecret', async ({ params }) => ({
      signing_secret: await rotateSecret(dependencies, appIdOf(params)),
    })),
    route('testWebhook', async ({ params }) => ({
      event_id: await sendTestEvent(dependencies, appIdOf(params)),
    })),
    route('listEvents', async ({ params, query }) => {
      const appId = appIdOf(params)
      const filter = {
        cursor: query.cursor ?? null,
        status: query.status === 'held' ? ('waiting' as const) : (query.status ?? null),
        limit: query.limit,
      }
      const { events, nextCursor } = await listEvents(dependencies, appId, filter)
      const isPaused = await isEndpointPaused(appId)
      return { events: events.map((event) => eventAnswer(event, isPaused)), next_cursor: nextCursor }
    }),
    route('getEvent', async ({ params }) => {
      const { appId, event } = await getEvent(dependencies, eventIdOf(params))
      return { ...eventAnswer(event, await isEndpointPaused(appId)), app_id: appId }
    }),
    route('replayEvent', async ({ params }) => {
      const eventId = eventIdOf(params)
      await replayEvent(dependencies, eventId)
      return { id: eventId }
    }),
    route('replayFailed', async ({ params, body }) => ({
      replayed: await replayFailed(dependencies, appIdOf(params), new Date(body.since)),
    })),
  ]
}

function eventIdOf(params: Readonly<Record<string, string>>): string {
  const eventId = parseId('event', params.event_id ?? '')
  if (!eventId) throw new AppError('NotFoundError', 'There is no such event.')
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
