/** Answers calls in the order of a script, to test what a real service does too rarely or too slowly. */
import assert from 'node:assert/strict'
import type { StatusAnswer, VerifyAnswer } from '../src/api.ts'
import { createVerification, type Verification, type VerificationOptions } from '../src/index.ts'

export interface Asked {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>> | null
}

export type Reply = (asked: Asked) => Response | Promise<Response>

export const lost: Reply = () => {
  throw new TypeError('fetch failed')
}
export const reply =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
export const refuse = (status: number, type: string, details = {}, headers = {}): Reply =>
  reply({ error: { type, message: `about ${type}`, details }, request_id: 'req_1' }, status, headers)

export const recipient = '+447400123456'

export const pending = {
  otp_id: 'otp_1',
  status: 'pending',
  channel: 'sms',
  masked_recipient: '+44****56',
  action_url: null,
  completion: 'code',
} as const

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

export const sent = (changes: Partial<StatusAnswer> = {}) => reply({ ...pending, ...changes })
/** The times count from the moment of the answer. */
export const status =
  (
    changes: Partial<StatusAnswer> = {},
    times: { resendIn?: number | null; expiresIn?: number } = {},
  ): Reply =>
  () => {
    const { resendIn = 30, expiresIn = 600 } = times
    return Response.json({
      ...pending,
      resend_available_at: resendIn === null ? null : inSeconds(resendIn),
      expires_at: inSeconds(expiresIn),
      ...changes,
    })
  }
export const checked = (changes: Partial<VerifyAnswer> = {}) =>
  reply({
    otp_id: 'otp_1',
    status: 'approved',
    matched: true,
    channel: 'sms',
    attempts_remaining: 5,
    verified_at: '2026-01-01T00:00:00.000Z',
    verification_token: 'otp_vt_1',
    ...changes,
  })
export const wrong = (attemptsRemaining: number) =>
  checked({
    matched: false,
    status: attemptsRemaining === 0 ? 'failed' : 'pending',
    attempts_remaining: attemptsRemaining,
    verified_at: null,
    verification_token: null,
  })

/** Further calls get the last reply again. */
export function withReplies(
  replies: readonly Reply[],
  options: Partial<VerificationOptions> = {},
): { verification: Verification; asked: Asked[] } {
  const asked: Asked[] = []
  const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const one: Asked = {
      url: String(url),
      method: init.method ?? 'GET',
      headers: init.headers as Record<string, string>,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
    }
    asked.push(one)
    const next = replies[Math.min(asked.length, replies.length) - 1]
    assert.ok(next)
    return next(one)
  }
  const settings = { key: 'otp_pk_a', baseUrl: 'https://codes.example/', fetch, ...options }
  return { verification: createVerification(settings), asked }
}
