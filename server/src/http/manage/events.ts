import type { EventAnswer, ListedEventAnswer } from '@countersign/contract'
import { noSuch } from '../../domain/answers/index.ts'
import {
  getEvent,
  type ListedEvent,
  listEvents,
  replayEvent,
  replayFailed,
  signedHeaders,
  type WebhookDependencies,
} from '../../domain/webhooks/index.ts'
import { type EndpointId, parseId } from '../../platform/ids.ts'
import { postHeaders } from '../../platform/safe-post.ts'
import { type Route, route } from '../route.ts'
import { pageOf } from './page.ts'

export function eventRoutes(dependencies: WebhookDependencies): Route[] {
  return [
    route('listEvents', async ({ scope, query }) => {
      const { rows, nextCursor } = await listEvents(dependencies, scope.app, {
        ...pageOf(query),
        status: query.status ?? null,
        type: query.type ?? null,
        endpointId: query.endpoint_id ?? null,
        minAttempts: query.min_attempts ?? null,
        answer: query.answer ?? null,
      })
      return { events: rows.map(listedAnswer), next_cursor: nextCursor }
    }),
    route('getEvent', async ({ scope, params }) => ({
      ...eventAnswer(await getEvent(dependencies, scope.app, eventIdOf(params))),
      app_id: scope.app.appId,
    })),
    route('replayEvent', async ({ scope, params, query }, _actor, once) => {
      const eventId = eventIdOf(params)
      const replayed = await once(async (database) => {
        await replayEvent({ database }, scope.app, eventId, endpointIn(query.endpoint_id))
        return { id: eventId }
      })
      dependencies.nudgeEvents()
      return replayed
    }),
    route('replayFailed', async ({ scope, body }) => ({
      replayed: await replayFailed(dependencies, scope.app, {
        since: new Date(body.since),
        endpointId: endpointIn(body.endpoint_id),
      }),
    })),
  ]
}

function eventIdOf(params: Readonly<Record<string, string>>): string {
  const eventId = parseId('event', params.event_id ?? '')
  if (!eventId) throw noSuch('event')
  return eventId
}

function endpointIn(text: string | null | undefined): EndpointId | null {
  if (text === null || text === undefined) return null
  const endpointId = parseId('endpoint', text)
  if (!endpointId) throw noSuch('webhook endpoint')
  return endpointId
}

const listedAnswer = (event: ListedEvent): ListedEventAnswer => ({
  id: event.eventId,
  type: event.type,
  otp_id: event.otpId,
  delivery_id: event.deliveryId,
  created_at: event.createdAt.toISOString(),
  status: event.status,
  next_attempt_at: event.nextAttemptAt?.toISOString() ?? null,
  test: event.isTest,
  attempts: event.attempts.map(attemptAnswer),
  endpoints: event.destinations
    // An event whose type no endpoint takes has a row without an endpoint.
    .filter(({ endpointId }) => endpointId !== '')
    .map(({ endpointId, url, status, nextAttemptAt }) => ({
      endpoint_id: endpointId,
      url,
      status,
      next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    })),
})

const attemptAnswer = (attempt: ListedEvent['attempts'][number]) => ({
  at: attempt.at.toISOString(),
  status: attempt.status,
  latency_ms: attempt.latencyMs,
  answer: attempt.answer,
  error: attempt.error,
  endpoint_id: attempt.endpointId,
})

const eventAnswer = (event: ListedEvent): Omit<EventAnswer, 'app_id'> => ({
  ...listedAnswer(event),
  body: event.body,
  attempts: event.attempts.map((attempt) => ({
    ...attemptAnswer(attempt),
    body: event.body,
    headers: { ...postHeaders, ...signedHeaders(event.eventId, attempt.signed) },
  })),
})
