/** Webhook endpoints and the status of events. Calls about an app's single endpoint are about its first. */
import { z } from 'zod'
import { pageQuery } from '../page.ts'
import { moment, plainText, timestamp } from '../vocabulary.ts'
import { eventType } from './events.ts'

const url = plainText.min(1).max(2_000)
const ownSecret = z
  .string()
  .regex(/^[!-~]{24,128}$/, 'must be 24 to 128 printable ASCII characters without blanks')
  .optional()
  .meta({ description: 'Your own secret instead of a generated one. Replaces the current one.' })
const types = z
  .array(eventType)
  .min(1)
  .max(20)
  .refine((given) => new Set(given).size === given.length, 'names a type twice')
  .nullable()
  .meta({ description: 'Which events the endpoint takes; null: all, also types that are added later.' })

export const webhookBody = z.strictObject({ url, signing_secret: ownSecret })
export const createWebhookBody = z.strictObject({ url, types: types.optional(), signing_secret: ownSecret })
export const updateWebhookBody = z.strictObject({
  url: url.optional(),
  types: types.optional(),
  signing_secret: ownSecret,
})

const webhookState = z.object({
  url: z.string(),
  status: z.enum(['active', 'paused']),
  paused_at: timestamp.nullable(),
  reason: z.string().nullable(),
  held: z.int().meta({ description: 'Events that wait while the endpoint is paused.' }),
})
const setSecret = z.string().nullable().meta({
  description: 'The secret that this call has set, generated or yours; null where the secret stayed.',
})
export const webhookAnswer = webhookState
export type WebhookAnswer = z.infer<typeof webhookAnswer>
export const putWebhookAnswer = webhookState.extend({ signing_secret: setSecret })

export const endpointAnswer = z.object({
  endpoint_id: z.string(),
  ...webhookState.shape,
  types,
  created_at: timestamp,
})
export type EndpointAnswer = z.infer<typeof endpointAnswer>
export const setEndpointAnswer = endpointAnswer.extend({ signing_secret: setSecret })
export const endpointsAnswer = z.object({
  webhooks: z
    .array(endpointAnswer)
    .meta({ description: 'Oldest first, at most ten; the first is the one of `/webhook`.' }),
})
export const unsentAnswer = z.object({
  unsent: z.int().meta({ description: 'Events that wait or are under way; 100,000 at most.' }),
})
export const deleteWebhookAnswer = z.object({ url: z.string() })
export const deleteEndpointAnswer = z.object({ endpoint_id: z.string(), url: z.string() })
export const rotateSecretAnswer = z.object({ signing_secret: z.string() })
export const testEventAnswer = z.object({ event_id: z.string() })

export const eventStatus = z.enum(['waiting', 'held', 'sending', 'delivered', 'failed', 'expired', 'skipped'])
export type ListedEventStatus = z.infer<typeof eventStatus>
const endpointId = plainText.max(64)
export const answerKind = z.enum(['2xx', '3xx', '4xx', '5xx', 'none'])
export type AnswerKind = z.infer<typeof answerKind>
export const eventsQuery = pageQuery.extend({
  status: eventStatus.optional().meta({ description: 'At one endpoint at least.' }),
  type: eventType.optional(),
  endpoint_id: endpointId.optional(),
  min_attempts: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .meta({ description: 'So many attempts or more were made at one endpoint.' }),
  answer: answerKind
    .optional()
    .meta({ description: 'At least one attempt got such an answer; `none`: one got no answer.' }),
})

export const attempt = z.object({
  at: timestamp,
  status: z.int().nullable(),
  latency_ms: z.int(),
  answer: z.string().nullable().meta({ description: 'The first 2 KiB.' }),
  error: z.string().nullable(),
  endpoint_id: z.string().meta({ description: 'Where it went; the endpoint may have been removed since.' }),
})
export const listedEvent = z.object({
  id: z.string(),
  type: eventType,
  otp_id: z.string(),
  delivery_id: z.string().nullable(),
  created_at: timestamp,
  status: eventStatus.meta({
    description:
      '`held`: waits for a paused endpoint. `skipped`: no endpoint took it. Of several endpoints what is still to be done comes first, then what went wrong.',
  }),
  next_attempt_at: timestamp.nullable(),
  test: z.boolean(),
  attempts: z.array(attempt).meta({ description: 'At all endpoints, oldest first.' }),
  endpoints: z
    .array(
      z.object({
        endpoint_id: z.string(),
        url: z
          .string()
          .nullable()
          .meta({ description: 'As it is now; null where the endpoint was removed.' }),
        status: eventStatus,
        next_attempt_at: timestamp.nullable(),
      }),
    )
    .meta({ description: 'Its state at each endpoint that it was for.' }),
})
export type ListedEventAnswer = z.infer<typeof listedEvent>
export const eventsAnswer = z.object({ events: z.array(listedEvent), next_cursor: z.string().nullable() })

const body = z.string().meta({ description: 'The bytes that are sent, the same in every attempt.' })
export const eventAnswer = listedEvent.extend({
  app_id: z.string(),
  body,
  attempts: z.array(
    attempt.extend({
      body,
      headers: z
        .record(z.string(), z.string())
        .meta({ description: 'As they were sent, with the signatures that the receiver got.' }),
    }),
  ),
})
export type EventAnswer = z.infer<typeof eventAnswer>
export const replayQuery = z.strictObject({
  endpoint_id: endpointId.optional().meta({
    description: 'Absent: to each endpoint that takes its type and is not paused.',
  }),
})
export const replayAnswer = z.object({ id: z.string() })
export const replayFailedBody = z.strictObject({
  since: moment,
  endpoint_id: endpointId.nullish().meta({ description: 'Absent: all that are not paused.' }),
})
export const replayFailedAnswer = z.object({ replayed: z.int() })
