/** An SMS gateway like hundreds of others: one call to send, and receipts to an address that the call names. */
import { randomUUID } from 'node:crypto'
import { type Behaviours, reachesPerson } from '../../behaviour.ts'
import { type Answer, json } from '../../http/answer.ts'
import { readParameters } from '../../http/parameters.ts'
import type { Handler } from '../../http/router.ts'
import type { Inbox } from '../../inbox.ts'
import { findPhone } from '../../recipient.ts'
import type { Schedule } from '../../schedule.ts'
import type { GatewayReceipts } from './receipts.ts'

interface Gateway {
  readonly inbox: Inbox
  readonly behaviours: Behaviours
  readonly schedule: Schedule
  readonly receipts: GatewayReceipts
}

const refuse = (
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Answer => json(status, { status: 'refused', error: { code, message } }, headers)

/** Takes any key: people who try it out make one up. */
const keyOf = (authorization: string | undefined) => /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]

/** GET or POST /gateway/messages with `to`, `from`, `text`, `reference` and `callback_url`. */
export function gatewaySend({ inbox, behaviours, schedule, receipts }: Gateway): Handler {
  return async ({ request, url }) => {
    const key = keyOf(request.headers.authorization)
    if (key === undefined) return refuse(401, 'key', 'the key is missing')
    const parameters = await readParameters(request, url)
    const to = findPhone(parameters.get('to') ?? '')
    const text = parameters.get('text') ?? ''
    if (to === null || text === '')
      return refuse(422, 'fields', 'to is a phone number, and text is not empty')
    const { outcome, delayMs } = behaviours.take(to, 'sms')
    if (delayMs > 0) await schedule.pause(delayMs)
    if (!reachesPerson(outcome)) inbox.miss('sms', to, outcome)
    if (outcome === 'error') return refuse(500, 'error', 'the gateway failed')
    if (outcome === 'throttle') return refuse(429, 'throttled', 'too many at once', { 'retry-after': '1' })
    if (outcome === 'reject') return refuse(400, 'rejected', 'the message is refused')
    if (outcome === 'unreachable') return refuse(400, 'unreachable', 'nobody is there')
    const id = randomUUID()
    if (reachesPerson(outcome)) {
      const raw = { text: JSON.stringify(Object.fromEntries(parameters), null, 2) }
      inbox.add({ channel: 'sms', to, from: parameters.get('from') ?? '', text, raw })
    }
    receipts.follow(outcome, {
      id,
      reference: parameters.get('reference') ?? null,
      callbackUrl: parameters.get('callback_url') ?? null,
      key,
    })
    return json(200, { id, status: 'accepted' })
  }
}
