import { type Behaviours, reachesPerson } from '../../behaviour.ts'
import { type Answer, json } from '../../http/answer.ts'
import { readJson } from '../../http/read-body.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Handler } from '../../http/router.ts'
import type { Inbox } from '../../inbox.ts'
import type { WhatsAppOptions } from '../../options.ts'
import { RECEIPT_GAP_MS } from '../../receipt-gap.ts'
import type { Schedule } from '../../schedule.ts'
import { type GraphError, graphError, toGraphAnswer } from './graph-error.ts'
import { newWhatsAppMessageId } from './message-id.ts'
import { type MessageRequest, parseMessageRequest } from './message-request.ts'
import type { WhatsAppPeople } from './people.ts'
import { planStatuses } from './statuses.ts'
import { toWaId } from './wa-id.ts'
import type { WhatsAppWebhook } from './webhook.ts'

interface Parts {
  readonly options: WhatsAppOptions
  readonly inbox: Inbox
  readonly behaviours: Behaviours
  readonly schedule: Schedule
  readonly people: WhatsAppPeople
  readonly webhook: WhatsAppWebhook
}

const BAD_TOKEN = graphError(401, 190, 'Invalid OAuth access token', 'The access token cannot be parsed')
const UNKNOWN_NUMBER = graphError(400, 100, 'Unsupported post request', 'No such phone number id')
const WINDOW_CLOSED = graphError(
  400,
  131047,
  'Re-engagement message',
  'More than 24 hours have passed since the recipient last wrote to this number',
)
const REJECTED = graphError(
  400,
  131009,
  'Parameter value is not valid',
  'Refused by the behaviour set for this person',
)
const BROKEN = graphError(500, 131000, 'Something went wrong', 'Broken by the behaviour set for this person')
const THROTTLED = graphError(429, 130429, 'Rate limit hit', 'Throttled by the behaviour set for this person')

/** POST /{version}/{phone number id}/messages */
export function whatsAppSend(parts: Parts): Handler {
  return async ({ request, params }) => {
    if (request.headers.authorization !== `Bearer ${parts.options.accessToken}`)
      return toGraphAnswer(BAD_TOKEN)
    if (params[0] !== parts.options.phoneNumberId) return toGraphAnswer(UNKNOWN_NUMBER)
    const body = await readGraphBody(request)
    const parsed = parseMessageRequest(body)
    if ('code' in parsed) return toGraphAnswer(parsed)
    return answerMessage(parts, parsed, body)
  }
}

async function answerMessage(parts: Parts, message: MessageRequest, body: unknown): Promise<Answer> {
  const to = parts.people.ownSpelling(message.to)
  const { outcome, delayMs } = parts.behaviours.take(to, 'whatsapp')
  if (delayMs > 0) await parts.schedule.pause(delayMs)
  if (!reachesPerson(outcome)) parts.inbox.miss('whatsapp', to, outcome)
  const refusal = findRefusal(parts, message, outcome)
  if (refusal !== null) return toGraphAnswer(refusal)
  const id = newWhatsAppMessageId()
  if (reachesPerson(outcome)) {
    const from = `+${parts.options.displayPhoneNumber.replace(/^\+/, '')}`
    const raw = { text: JSON.stringify(body, null, 2) }
    parts.inbox.add({ channel: 'whatsapp', to, from, text: message.text, raw })
  }
  const category = message.kind === 'template' ? 'authentication' : 'service'
  const sent = { id, waId: toWaId(message.to), category, callbackData: message.callbackData } as const
  const statuses = planStatuses(sent, outcome)
  const steps = statuses.map((status) => () => parts.webhook.sendStatus(message.to, status()))
  parts.schedule.inSequence(RECEIPT_GAP_MS, steps)
  return json(200, {
    messaging_product: 'whatsapp',
    contacts: [{ input: message.to.slice(1), wa_id: sent.waId }],
    messages: [{ id, message_status: 'accepted' }],
  })
}

function findRefusal(parts: Parts, message: MessageRequest, outcome: string): GraphError | null {
  if (outcome === 'error') return BROKEN
  if (outcome === 'throttle') return THROTTLED
  if (outcome === 'reject') return REJECTED
  if (message.kind === 'text' && !parts.people.mayBeRepliedTo(message.to)) return WINDOW_CLOSED
  return null
}

/** If the body is not JSON, Meta answers with an error in its own format. */
async function readGraphBody(request: Parameters<typeof readJson>[0]): Promise<unknown> {
  try {
    return await readJson(request)
  } catch (error) {
    if (error instanceof Refusal && error.status !== 413) return null
    throw error
  }
}
