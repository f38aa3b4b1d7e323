/** The `webhooks` section: what the service sends to endpoints. */
import { type EventType, webhookEvent } from '../webhooks/events.ts'
import { capitalised } from './names.ts'
import type { Schemas } from './schemas.ts'
import type { JsonObject } from './tidy.ts'

const words: Readonly<Record<EventType, readonly [summary: string, description: string]>> = {
  'otp.approved': [
    'A person has proven that they control the recipient',
    'By the right code or by their WhatsApp message, on every channel. It is the only push signal of a verification that finishes by a message.',
  ],
  'otp.failed': [
    'A verification has failed',
    'All attempts to enter the code were wrong, or somebody has cancelled it. There is no event for one that expires.',
  ],
  'delivery.delivered': ['A message has arrived', 'A receipt of the provider says so.'],
  'delivery.failed': [
    'A message could not be delivered',
    'It failed, or was no longer of use before it left. The verification goes on: resend it, or let the person choose another channel.',
  ],
}

const header = (name: string, required: boolean, description: string): JsonObject => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
})

const headers = [
  header(
    'X-Webhook-Signature',
    true,
    'Hexadecimal HMAC-SHA256 of `{timestamp}.{body}`, keyed with the whole signing secret. Compare it in constant time, over the bytes as they came.',
  ),
  header('X-Webhook-Timestamp', true, 'Seconds since 1970, as signed. Refuse one that is minutes old.'),
  header(
    'X-Webhook-Signature-Previous',
    false,
    'The same by the previous secret, for 24 hours after a rotation.',
  ),
  header('webhook-id', true, 'The id of the event, by the Standard Webhooks specification.'),
  header('webhook-timestamp', true, 'The same time, by that specification.'),
  header(
    'webhook-signature',
    true,
    'One or two signatures by that specification, keyed with the decoded secret.',
  ),
]

/** The operation id of a webhook; no call of the API begins with `on`. */
const idOf = (type: string) => `on${capitalised(type)}`

export function eventSection({ schemaOf }: Schemas): JsonObject {
  return Object.fromEntries(
    webhookEvent.options.map((form) => {
      const type = form.shape.type.value
      const [summary, description] = words[type]
      return [
        type,
        {
          post: {
            operationId: idOf(type),
            summary,
            description: `${description} Dedupe on \`id\`: an event may come more than once, with the same bytes.`,
            tags: ['Webhooks'],
            security: [],
            parameters: headers,
            requestBody: {
              required: true,
              content: { 'application/json': { schema: schemaOf(form, 'output'), example: exampleOf(type) } },
            },
            responses: {
              '2XX': { description: 'Taken. Answer within ten seconds and work afterwards.' },
              '410': { description: 'The endpoint no longer exists: it is paused at once.' },
              default: { description: 'Not taken: tried again after 5 s, 30 s, 2 min and ever longer.' },
            },
          },
        },
      ]
    }),
  )
}

function exampleOf(type: EventType): JsonObject {
  const [subject, status] = type.split('.')
  const delivery = subject === 'delivery' ? { delivery_id: 'dlv_01m7g448dt9adsmcarjtdq4a6q' } : {}
  return {
    id: 'evt_01m7em6n235stx0gt53p0k723w',
    type,
    payload: { otp_id: 'otp_01m7g448dt1pefhc1g61zsgt4d', ...delivery, status },
  }
}
