/** The endpoints of a verification: parse, call, present. */
import { resultOf } from '@countersign/contract'
import { validationError } from '../../domain/answers/index.ts'
import { type ClientIp, parseClientIp } from '../../domain/guard/index.ts'
import { readLanguageTag } from '../../domain/messages/index.ts'
import type { Principal } from '../../domain/tenancy/index.ts'
import {
  exchange,
  type Issue,
  type IssueDependencies,
  lookUp,
  lookUpDecisions,
  preview,
  resend,
  send,
  type VerifyDependencies,
  verify,
} from '../../domain/verification/index.ts'
import { previewAnswer } from '../preview-answer.ts'
import { type Route, route } from '../route.ts'

export interface OtpDependencies extends IssueDependencies, VerifyDependencies {
  readonly issue: Issue
}

export function otpRoutes(dependencies: OtpDependencies): Route[] {
  return [
    route('send', async ({ body, idempotencyKey, callerAddress }, principal) => {
      const locale = localeOf(body.locale)
      return send(dependencies, principal, {
        recipient: body.recipient,
        locale,
        clientIp: clientIpOf(principal, body.client_ip, callerAddress),
        idempotencyKey: idempotencyKey(),
      })
    }),
    route('resend', async ({ body }, principal) =>
      resend(dependencies, principal, { otpId: body.otp_id, channel: body.channel ?? null }),
    ),
    route('verify', async ({ body }, principal) =>
      verify(dependencies, principal, { otpId: body.otp_id, code: body.code }),
    ),
    route('status', ({ params }, principal) => lookUp(dependencies, principal, params.otp_id ?? '')),
    route('decision', async ({ params }, principal) => {
      const decisions = await lookUpDecisions(dependencies, principal, params.otp_id ?? '')
      return {
        decisions: decisions.map(({ kind, at, rules }) => ({
          kind,
          at: at.toISOString(),
          rules: rules.map(resultOf),
        })),
      }
    }),
    route('preview', async ({ body }, principal) => {
      const clientIp = clientIpOf(principal, body.client_ip, '')
      return previewAnswer(await preview(dependencies, principal, { recipient: body.recipient, clientIp }))
    }),
    route('exchange', async ({ body }, principal) =>
      exchange(dependencies, principal, body.verification_token),
    ),
  ]
}

export function localeOf(written: string | null | undefined): string | null {
  if (written === null || written === undefined) return null
  const tag = readLanguageTag(written)
  if (tag !== null) return tag
  throw validationError([{ path: 'locale', message: 'is not a language tag such as en or pt-BR' }])
}

/** A backend says where its user is; the address of a device is the one that it calls from. */
export function clientIpOf(
  principal: Pick<Principal, 'kind'>,
  declared: string | null | undefined,
  callerAddress: string,
): ClientIp | null {
  if (principal.kind === 'publishable' && typeof declared === 'string') {
    throw validationError([
      { path: 'client_ip', message: 'is not taken from a device: the connection’s own address counts' },
    ])
  }
  const text = principal.kind === 'publishable' ? callerAddress : declared
  if (typeof text !== 'string') return null
  const parsed = parseClientIp(text)
  if (parsed.kind === 'malformed' && principal.kind === 'server') {
    throw validationError([{ path: 'client_ip', message: 'is not an IPv4 or IPv6 address' }])
  }
  return parsed.kind === 'usable' ? parsed.ip : null
}
