/**
 * One attempt to prove that a person controls a recipient.
 *
 *   (none)   → pending    send
 *   pending  → pending    resend: another channel or the same; a fresh code is the next version
 *   pending  → approved   the right code of the newest version, or an inbound message
 *   pending  → failed     the last allowed wrong code, or somebody cancelled it
 *   pending  → expired    its newest code's life is over: a fact of the clock, not a stored state
 *
 * Attempts belong to the verification, whatever the version: nothing refills them.
 */
import {
  AppError,
  type ChannelName,
  type Completion,
  type RecipientType,
  type VerificationAnswer,
  whyOf,
} from '@countersign/contract'
import type { AppId, CompanyId, OtpId } from '../../platform/ids.ts'
import type { LinkMode } from '../routing/index.ts'

/** The channel and country that an approval is counted under. */
export type ApprovedOn = Pick<Verification, 'channel' | 'country'>

export interface Verification {
  readonly appId: AppId
  readonly otpId: OtpId
  readonly companyId: CompanyId
  readonly status: 'pending' | 'approved' | 'failed'
  readonly recipientType: RecipientType
  /** Sealed; null once the recipient has been erased. */
  readonly recipient: Buffer | null
  readonly recipientHash: Buffer | null
  readonly maskedRecipient: string
  readonly country: string | null
  readonly locale: string
  /** The name that the messages use for the app; null for the app's own name. */
  readonly friendlyName: string | null
  readonly channel: ChannelName
  readonly linkMode: LinkMode | null
  readonly linkNumber: string | null
  readonly dataKey: number
  readonly codeVersion: number
  readonly codeLength: number
  readonly codeMac: Buffer
  readonly attempts: number
  readonly maxAttempts: number
  readonly sends: number
  readonly maxSends: number
  readonly clientIp: string | null
  readonly ipKey: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly resendAt: Date
  readonly verifiedAt: Date | null
  readonly approvedBy: string | null
  readonly replayUntil: Date | null
  /** What its messages cost in the hour of the last one, and when that was; an approval gives this back. */
  readonly spendMicros: bigint
  readonly spendAt: Date | null
}

const completionOf = (linkMode: LinkMode | null): Completion =>
  linkMode === 'link_inbound' ? 'inbound' : 'code'

export function answerOf(verification: Verification, actionUrl: string | null): VerificationAnswer {
  return {
    otp_id: verification.otpId,
    status: verification.status,
    channel: verification.channel,
    masked_recipient: verification.maskedRecipient,
    action_url: actionUrl,
    completion: completionOf(verification.linkMode),
  }
}

export const otpNotFound = () => new AppError('OtpNotFoundError', 'There is no such verification.')

type Over = 'approved' | 'failed' | 'expired'

/** How the verification has ended; null while it is pending. */
export function endOf(
  { status, expiresAt }: Pick<Verification, 'status' | 'expiresAt'>,
  nowMs: number,
): Over | null {
  if (status !== 'pending') return status
  return expiresAt.getTime() <= nowMs ? 'expired' : null
}

export function otpNotPending(status: Over): AppError {
  const facts = { otp_status: status }
  return new AppError('OtpNotPendingError', whyOf({ rule: 'pending', outcome: 'refuse', facts }), facts)
}
