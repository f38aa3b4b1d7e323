/**
 * One verification for a person at a time: a send while one is pending becomes a resend.
 *
 * Whether one is pending is read before the batch, so two calls at once may both find none. Both then send under the
 * same idempotency key, made from the newest verification so far, and the second gets the answer of the first.
 */
import type { ChannelName } from '@countersign/contract'
import { type ClientIp, parseRecipient, provenAddress } from '../../guard/index.ts'
import type { Principal } from '../../tenancy/index.ts'
import { findNewest } from '../find-newest.ts'
import type { FoundVerification } from '../store.ts'
import { resend, type SendDependencies, send } from './send.ts'

interface SendOrResendInput {
  readonly recipient: string
  readonly locale: string | null
  /** The name that the messages use for the app; null for the app's own name. */
  readonly friendlyName: string | null
  readonly clientIp: ClientIp | null
  /** The channels that the send may use: the first of the order among them, otherwise the first of them. */
  readonly among: readonly ChannelName[]
}

/** Returns the verification's id. */
export async function sendOrResend(
  dependencies: SendDependencies,
  principal: Principal,
  input: SendOrResendInput,
): Promise<string> {
  const { app } = principal
  const recipient = parseRecipient(input.recipient, app.settings.number_check)
  const newest = recipient && (await findNewest(dependencies, app, recipient))
  if (newest && isPending(newest)) {
    const { otpId, channel: current } = newest.verification
    const channel = input.among.find((each) => each === current) ?? input.among[0] ?? null
    const answer = await resend(dependencies, principal, { otpId, channel, friendlyName: input.friendlyName })
    return answer.otp_id
  }
  const after = newest?.verification.otpId ?? 'none'
  // The key includes the address: another address may count as the same person for limits, and belong to somebody else.
  const idempotencyKey = recipient && `one at a time ${app.appId} ${provenAddress(recipient)} ${after}`
  const answer = await send(dependencies, principal, { ...input, idempotencyKey })
  return answer.otp_id
}

const isPending = ({ verification, isExpired }: FoundVerification) =>
  verification.status === 'pending' && !isExpired
