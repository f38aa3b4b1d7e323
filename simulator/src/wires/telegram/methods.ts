import { type Behaviour, type Behaviours, reachesPerson } from '../../behaviour.ts'
import type { Inbox } from '../../inbox.ts'
import { findPhone } from '../../recipient.ts'
import type { Schedule } from '../../schedule.ts'
import { type GatewayAccount, type GatewayRequest, moveDelivery } from './gateway-request.ts'
import type { TelegramReceipts } from './receipts.ts'
import { parseSendParameters, type SendParameters } from './send-parameters.ts'

export interface Gateway {
  readonly inbox: Inbox
  readonly behaviours: Behaviours
  readonly schedule: Schedule
  readonly account: GatewayAccount
  readonly receipts: TelegramReceipts
}

type Outgoing = { readonly result: unknown } | { readonly error: string } | 'broken'
export type Method = (gateway: Gateway, parameters: Map<string, string>) => Promise<Outgoing> | Outgoing

const SENDER = 'Verification Codes'

async function sendVerificationMessage(gateway: Gateway, given: Map<string, string>): Promise<Outgoing> {
  const parameters = parseSendParameters(given)
  if (typeof parameters === 'string') return { error: parameters }
  const behaviour = await wait(gateway, gateway.behaviours.take(parameters.phone, 'telegram'))
  if (!reachesPerson(behaviour.outcome)) gateway.inbox.miss('telegram', parameters.phone, behaviour.outcome)
  const refusal = findRefusal(behaviour)
  if (refusal !== null) return refusal
  const request = openOrReuse(gateway, parameters)
  if (typeof request === 'string') return { error: request }
  request.code = parameters.code
  request.payload = parameters.payload
  request.ttlSeconds = parameters.ttlSeconds
  moveDelivery(request, 'sent')
  const result = gateway.account.present(request)
  if (reachesPerson(behaviour.outcome)) {
    const text = `Your code is ${parameters.code}. Enter it only where you asked for it, and tell it to nobody.`
    const raw = { text: JSON.stringify(Object.fromEntries(given), null, 2) }
    gateway.inbox.add({ channel: 'telegram', to: parameters.phone, from: SENDER, text, raw })
  }
  gateway.receipts.follow(request, behaviour.outcome, parameters.callbackUrl)
  return { result }
}

async function checkSendAbility(gateway: Gateway, given: Map<string, string>): Promise<Outgoing> {
  const phone = findPhone(given.get('phone_number') ?? '')
  if (phone === null) return { error: 'PHONE_NUMBER_INVALID' }
  const refusal = findRefusal(await wait(gateway, gateway.behaviours.find(phone, 'telegram')))
  return refusal ?? { result: gateway.account.present(gateway.account.open(phone)) }
}

function checkVerificationStatus(gateway: Gateway, given: Map<string, string>): Outgoing {
  const request = gateway.account.find(given.get('request_id') ?? '')
  if (request === null) return { error: 'REQUEST_ID_INVALID' }
  const code = given.get('code')
  if (code !== undefined && request.code !== null) {
    request.verification = { status: judge(request, code), updatedAt: Date.now(), codeEntered: code }
  }
  return { result: gateway.account.present(request) }
}

function revokeVerificationMessage(gateway: Gateway, given: Map<string, string>): Outgoing {
  const request = gateway.account.find(given.get('request_id') ?? '')
  if (request === null) return { error: 'REQUEST_ID_INVALID' }
  if (request.delivery?.status === 'sent') moveDelivery(request, 'revoked')
  return { result: true }
}

/** Method names are compared without regard to case. */
export const METHODS = new Map<string, Method>([
  ['sendverificationmessage', sendVerificationMessage],
  ['checksendability', checkSendAbility],
  ['checkverificationstatus', checkVerificationStatus],
  ['revokeverificationmessage', revokeVerificationMessage],
])

async function wait(gateway: Gateway, behaviour: Behaviour): Promise<Behaviour> {
  if (behaviour.delayMs > 0) await gateway.schedule.pause(behaviour.delayMs)
  return behaviour
}

function findRefusal(behaviour: Behaviour): Outgoing | null {
  if (behaviour.outcome === 'error') return 'broken'
  if (behaviour.outcome === 'throttle') return { error: 'FLOOD_WAIT_1' }
  if (behaviour.outcome === 'unreachable') return { error: 'PHONE_NUMBER_NOT_AVAILABLE' }
  if (behaviour.outcome === 'reject') return { error: 'PHONE_NUMBER_INVALID' }
  return null
}

/** A request that checkSendAbility opened is paid for, and carries one message. */
function openOrReuse(gateway: Gateway, parameters: SendParameters): GatewayRequest | string {
  if (parameters.requestId === null) return gateway.account.open(parameters.phone)
  const request = gateway.account.find(parameters.requestId)
  if (request === null) return 'REQUEST_ID_INVALID'
  if (request.phone !== parameters.phone) return 'PHONE_NUMBER_MISMATCH'
  if (request.delivery !== null) return 'MESSAGE_ALREADY_SENT'
  request.cost = 0
  return request
}

function judge(request: GatewayRequest, code: string): string {
  const isOver = request.ttlSeconds !== null && Date.now() > request.createdAt + request.ttlSeconds * 1_000
  if (isOver) return 'expired'
  return request.code === code ? 'code_valid' : 'code_invalid'
}
