/** Calls of the Telegram Gateway API: https://core.telegram.org/gateway/api */
import { z } from 'zod'
import type { HttpClient, HttpRequest, HttpResponse } from '../../platform/http-client.ts'
import { joinUrl } from '../base-url.ts'
import type { OutgoingMessage, SendOutcome } from '../channel.ts'
import { failureOutcome, parseJsonWithIds, statusOutcome } from '../http-outcome.ts'
import { errorOutcome } from './errors.ts'
import { requestId } from './request-id.ts'
import { TELEGRAM_BASE_URL, type TelegramSettings } from './settings.ts'

const MIN_TTL_SECONDS = 30
const MAX_TTL_SECONDS = 3_600
const MAX_CALLBACK_URL_BYTES = 256

const answer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.object({ request_id: requestId }) }),
  z.object({ ok: z.literal(false), error: z.string() }),
])

export async function sendVerificationMessage(
  http: HttpClient,
  settings: TelegramSettings,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const request = gatewayRequest(settings, 'sendVerificationMessage', {
    phone_number: message.recipient,
    code: message.code,
    ttl: Math.min(Math.max(Math.floor(message.ttlSeconds), MIN_TTL_SECONDS), MAX_TTL_SECONDS),
    payload: message.deliveryId,
    ...(settings.sender_username === undefined ? {} : { sender_username: settings.sender_username }),
    ...(takesCallbackUrl(settings, message.callbackUrl) ? { callback_url: message.callbackUrl } : {}),
  })
  const result = await http.send(request, signal)
  return result.kind === 'response' ? readAnswer(result) : failureOutcome(result)
}

/** Telegram counts a conversion when it is sent the right code; its answer is not used. */
export async function checkVerificationStatus(
  http: HttpClient,
  settings: TelegramSettings,
  requestId: string,
  code: string,
  signal: AbortSignal,
): Promise<void> {
  await http.send(
    gatewayRequest(settings, 'checkVerificationStatus', { request_id: requestId, code }),
    signal,
  )
}

function gatewayRequest(settings: TelegramSettings, method: string, body: object): HttpRequest {
  return {
    method: 'POST',
    url: joinUrl(settings.base_url, method),
    headers: { authorization: `Bearer ${settings.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

// Telegram refuses the whole message if the callback URL is not https or too long.
function takesCallbackUrl(settings: TelegramSettings, callbackUrl: string): boolean {
  if (Buffer.byteLength(callbackUrl) > MAX_CALLBACK_URL_BYTES) return false
  const isTelegramItself = new URL(settings.base_url).host === new URL(TELEGRAM_BASE_URL).host
  return !isTelegramItself || callbackUrl.startsWith('https://')
}

function readAnswer(response: HttpResponse): SendOutcome {
  const parsed = answer.safeParse(parseJsonWithIds(response.body))
  if (!parsed.success) return statusOutcome(response, `Telegram answered ${response.status}.`)
  if (parsed.data.ok) return { kind: 'accepted', messageId: parsed.data.result.request_id }
  const outcome = errorOutcome(response, parsed.data.error)
  // An error that is not in the table is judged by the HTTP status.
  return outcome.kind === 'refused' && response.status >= 400
    ? statusOutcome(response, outcome.error.message, outcome.error.code)
    : outcome
}
