/** The four calls that a publishable key may make. */
import { type Answered, type Connection, call, type Fields } from './call.ts'
import type { Channel, Completion } from './state.ts'

const statuses = ['pending', 'approved', 'failed', 'expired'] as const

export interface SentAnswer {
  readonly otp_id: string
  readonly status: (typeof statuses)[number]
  readonly channel: Channel
  readonly masked_recipient: string
  readonly action_url: string | null
  readonly completion: Completion
}

export interface StatusAnswer extends SentAnswer {
  readonly resend_available_at: string | null
  readonly expires_at: string
}

export interface VerifyAnswer {
  readonly otp_id: string
  readonly status: SentAnswer['status']
  /** A hint for this device's own screen. Only the exchange by your backend is proof. */
  readonly matched: boolean
  readonly channel: Channel
  readonly attempts_remaining: number
  readonly verified_at: string | null
  readonly verification_token: string | null
  readonly proof?: string | null
}

const text = (value: unknown) => typeof value === 'string'
const textOrNull = (value: unknown) => value === null || text(value)
const time = (value: unknown) => text(value) && Date.parse(String(value)) > 0
const status = (value: unknown) => statuses.some((one) => one === value)

const sent: Fields<SentAnswer> = {
  otp_id: text,
  status,
  channel: text,
  masked_recipient: text,
  action_url: textOrNull,
  completion: text,
}
const looked: Fields<StatusAnswer> = {
  ...sent,
  resend_available_at: (value) => value === null || time(value),
  expires_at: time,
}
const verified: Fields<VerifyAnswer> = {
  otp_id: text,
  status,
  matched: (value) => typeof value === 'boolean',
  channel: text,
  attempts_remaining: Number.isInteger,
  verified_at: textOrNull,
  verification_token: textOrNull,
}

export interface Api {
  readonly send: (recipient: string, locale: string | undefined, key: string) => Promise<Answered<SentAnswer>>
  readonly resend: (otpId: string, channel: Channel | undefined) => Promise<Answered<SentAnswer>>
  readonly verify: (otpId: string, code: string) => Promise<Answered<VerifyAnswer>>
  readonly status: (otpId: string, retries: boolean) => Promise<Answered<StatusAnswer>>
}

export function createApi(connection: Connection): Api {
  return {
    send: (recipient, locale, idempotencyKey) =>
      call(connection, {
        path: '/otp/send',
        body: { recipient, locale },
        headers: { 'idempotency-key': idempotencyKey },
        retries: true,
        fields: sent,
      }),
    // Has no idempotency key: a repeat might send twice.
    resend: (otpId, channel) =>
      call(connection, {
        path: '/otp/resend',
        body: { otp_id: otpId, channel },
        retries: false,
        fields: sent,
      }),
    // The same right code gets the same token, so the call is repeated after a lost answer.
    verify: (otpId, code) =>
      call(connection, {
        path: '/otp/verify',
        body: { otp_id: otpId, code },
        retries: true,
        fields: verified,
      }),
    status: (otpId, retries) =>
      call(connection, { path: `/otp/${encodeURIComponent(otpId)}`, retries, fields: looked }),
  }
}
