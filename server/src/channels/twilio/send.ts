import { stringify } from 'node:querystring'
import { z } from 'zod'
import type { HttpClient, HttpRequest, HttpResponse } from '../../platform/http-client.ts'
import { byText, memo } from '../../platform/memo.ts'
import { hostOf, isPublicAddress, joinUrl } from '../base-url.ts'
import type { OutgoingMessage, SendOutcome } from '../channel.ts'
import { failureOutcome, parseJson, statusOutcome } from '../http-outcome.ts'
import { errorOutcome, FAILED } from './errors.ts'
import type { TwilioSettings } from './settings.ts'

/** Twilio's own limits on how long it may hold back a message. */
const MIN_VALIDITY_SECONDS = 1
const MAX_VALIDITY_SECONDS = 14_400

const mostCallbackUrls = 1_000

const errorCode = z.union([z.number(), z.string().pipe(z.coerce.number<string>().int().positive())])
const words = z.string().nullish().catch(null)
const created = z.object({
  sid: z.string().min(1),
  status: words,
  error_code: errorCode.nullish().catch(null),
  error_message: words,
})
const failed = z.object({ code: errorCode, message: words })

/** Parts that are the same for every message are made once. */
export function createSend(http: HttpClient, settings: TwilioSettings) {
  const requestOf = requestFor(settings)
  return async (message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome> => {
    const result = await http.send(requestOf(message), signal)
    return result.kind === 'response' ? readAnswer(result) : failureOutcome(result)
  }
}

function requestFor(settings: TwilioSettings): (message: OutgoingMessage) => HttpRequest {
  const { account_sid, from, messaging_service_sid, base_url } = settings
  const user = settings.api_key_sid ?? account_sid
  const password = settings.api_key_secret ?? settings.auth_token
  const sender = {
    ...(from === undefined ? {} : { From: from }),
    ...(messaging_service_sid === undefined ? {} : { MessagingServiceSid: messaging_service_sid }),
  }
  const isTwilioItself = hostOf(base_url).host.endsWith('.twilio.com')
  const url = joinUrl(base_url, `2010-04-01/Accounts/${account_sid}/Messages.json`)
  const headers = {
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  }
  return (message) => ({
    method: 'POST',
    url,
    headers,
    body: stringify({
      To: message.recipient,
      Body: message.text,
      ...sender,
      ...statusCallback(message, isTwilioItself),
      ValidityPeriod: clamp(message.ttlSeconds, MIN_VALIDITY_SECONDS, MAX_VALIDITY_SECONDS),
    }),
  })
}

/** All messages of an account are reported to one URL, with our id of the delivery in the query. */
function statusCallback({ callbackUrl, deliveryId }: OutgoingMessage, isTwilioItself: boolean) {
  const { start, isPublic } = callbackParts(callbackUrl)
  // Twilio refuses the whole message (21609) for a URL that it could not call.
  return isTwilioItself && !isPublic ? {} : { StatusCallback: `${start}delivery=${deliveryId}` }
}

const callbackParts = memo(mostCallbackUrls, byText, (text) => {
  const { href, search } = new URL(text)
  return { start: `${href}${search === '' ? '?' : '&'}`, isPublic: isPublicAddress(text) }
})

function readAnswer(response: HttpResponse): SendOutcome {
  const body = parseJson(response.body)
  if (response.status < 300) {
    const message = created.safeParse(body)
    if (message.success) return createdOutcome(response, message.data)
    return statusOutcome(response, 'The answer could not be read.')
  }
  const error = failed.safeParse(body)
  if (error.success) return errorOutcome(response, error.data.code, error.data.message ?? '')
  return statusOutcome(response, `Twilio answered ${response.status}.`)
}

/** No callback reports the status that a message was created with, so a message that failed at once is read here. */
function createdOutcome(
  response: HttpResponse,
  { sid, status, error_code, error_message }: z.infer<typeof created>,
): SendOutcome {
  if (!FAILED.has(status ?? '')) return { kind: 'accepted', messageId: sid }
  const refused = { ...response, status: 400 }
  const message = error_message ?? `Twilio created the message as ${status}.`
  return error_code
    ? errorOutcome(refused, error_code, message)
    : statusOutcome(refused, message, status ?? undefined)
}

function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(Math.max(Math.floor(value), lowest), highest)
}
