/** Verifications: start, move on, check, look up. */
import { isDecisions, isVerification, isVerificationDetails, isVerifyResult } from './answers.ts'
import { assertFields } from './fields.ts'
import { idempotencyKeyOf } from './idempotency-key.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { Channel, Decisions, Verification, VerificationDetails, VerifyResult } from './types.ts'
import { codeOf, recipientOf } from './written.ts'

export interface SendOptions extends CallOptions {
  /**
   * The same key within 24 hours gets the first answer again and sends nothing, whatever the recipient: make it from
   * something unique to this attempt, such as a random id of the form. If it is left out or empty, one is generated.
   */
  idempotencyKey?: string | undefined
}

export interface SendRequest {
  /** An E.164 phone number (`+` and digits) or an email address. Blanks, dashes, dots and brackets are removed. */
  recipient: string
  /** Language of the message, such as `en` or `pt-BR`. */
  locale?: string | undefined
  /** Address of the person, not of your server. Without it all sends of the app share a tight limit. */
  clientIp?: string | undefined
}

export interface ResendRequest {
  otpId: string
  /** Exactly this channel; if it is left out, the next one in the app's order. */
  channel?: Channel | undefined
}

export interface VerifyRequest {
  otpId: string
  /** A string of digits, leading zeros included. Blanks and dashes are removed. */
  code: string
}

export interface Otp {
  /** Starts a verification. The app's routing chooses the channel. */
  send(request: SendRequest, options?: SendOptions): Promise<Verification>
  /** Sends again on the next channel, or on a named one. Never retried by itself: it might send twice. */
  resend(request: ResendRequest, options?: CallOptions): Promise<Verification>
  /** Checks a code. A wrong one is a result with `matched: false`, one of another length a `ValidationError`. */
  verify(request: VerifyRequest, options?: CallOptions): Promise<VerifyResult>
  get(otpId: string, options?: CallOptions): Promise<VerificationDetails>
  /** Why each send of a verification went the way it did. */
  decision(otpId: string, options?: CallOptions): Promise<Decisions>
}

export function createOtp(call: Transport): Otp {
  return {
    send: async (request, { idempotencyKey: given, ...options } = {}) => {
      assertFields('The request', request, ['recipient', 'locale', 'clientIp'])
      const { recipient, locale, clientIp } = request
      const idempotencyKey = idempotencyKeyOf(given)
      return call({
        method: 'POST',
        path: '/otp/send',
        body: { recipient: recipientOf(recipient), locale, client_ip: clientIp },
        headers: { 'idempotency-key': idempotencyKey },
        isRepeatable: true,
        isAnswer: isVerification,
        options,
      })
    },
    resend: async (request, options = {}) => {
      assertFields('The request', request, ['otpId', 'channel'])
      return call({
        method: 'POST',
        path: '/otp/resend',
        body: { otp_id: request.otpId, channel: request.channel },
        isRepeatable: false,
        isAnswer: isVerification,
        options,
      })
    },
    // The service answers a repeated right code as it did the first time.
    verify: async (request, options = {}) => {
      assertFields('The request', request, ['otpId', 'code'])
      return call({
        method: 'POST',
        path: '/otp/verify',
        body: { otp_id: request.otpId, code: codeOf(request.code) },
        isRepeatable: true,
        isAnswer: isVerifyResult,
        options,
      })
    },
    get: async (otpId, options = {}) =>
      call({
        method: 'GET',
        path: pathOf(otpId),
        isRepeatable: true,
        isAnswer: isVerificationDetails,
        options,
      }),
    decision: async (otpId, options = {}) =>
      call({
        method: 'GET',
        path: `${pathOf(otpId)}/decision`,
        isRepeatable: true,
        isAnswer: isDecisions,
        options,
      }),
  }
}

function pathOf(otpId: string): string {
  // Dots alone would lead to another call, since in a URL they mean the parent.
  if (typeof otpId !== 'string' || /^\.{0,2}$/.test(otpId))
    throw new TypeError('otpId is missing, or is no id.')
  return `/otp/${encodeURIComponent(otpId)}`
}
