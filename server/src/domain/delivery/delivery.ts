/**
 * One message handed to one provider.
 *
 *   queued → sent        the provider took it, or may have: the price is captured
 *   queued → queued      it could not be taken now: tried again with growing pauses, or by the next account
 *   queued → failed      refused, or the code's life is over: the price is returned
 *   sent   → delivered   a receipt
 *   sent   → failed      a receipt: the price is returned
 *
 * Only forward: a receipt that comes late, twice or before our own write changes nothing it should not.
 * The row is the job: taking it moves `next_attempt_at` past the lease, names the worker that holds it and counts
 * `attempt`. A failure or a pause is good only for the attempt that it was taken with; that a provider took the
 * message, or may have, is good whoever has it by now.
 */
import type { ChannelName } from '@countersign/contract'
import type { AppId, CompanyId, OtpId } from '../../platform/ids.ts'

export interface DueDelivery {
  readonly appId: AppId
  readonly deliveryId: string
  readonly companyId: CompanyId
  readonly otpId: OtpId
  readonly channel: ChannelName
  readonly providerId: string
  readonly tried: readonly string[]
  /** Sealed: the provider's id of the message that this one answers. Empty once the person is being erased. */
  readonly replyTo: Buffer | null
  readonly attempt: number
  readonly codeVersion: number
  /** The sealed recipient of the verification; null once it was erased. */
  readonly recipient: Buffer | null
  readonly country: string | null
  readonly locale: string
  /** The name that the message uses for the app; null for the app's own name. */
  readonly friendlyName: string | null
  readonly dataKey: number
  readonly codeLength: number
  /** Why the code is no longer useful; null while it is. */
  readonly staleReason: 'expired' | 'superseded' | 'finished' | null
  readonly ttlSeconds: number
  /** Recipient and code, on the node that accepted the message, which need not be decrypted and derived again. */
  readonly plain: PlainMessage | null
  /** Whether a worker died with the message, which may have left. `before`: tried since. `again`: two workers died. */
  readonly takenOver: 'no' | 'once' | 'before' | 'again'
}

/** Kept in memory only. */
export interface PlainMessage {
  readonly recipient: string
  readonly code: string
}

/** The context that a recipient is sealed with: moved to another row, it does not open. */
export const recipientContext = (otpId: string) => `recipient of ${otpId}`

/** The context that a provider's id of a message is sealed with. */
export const messageContext = (otpId: string) => `message of ${otpId}`

/**
 * A worker has the delivery that it takes for the lease. If an attempt takes longer (a slow provider, a database that
 * is down when the outcome is to be written), the worker's sign of life protects it: nobody takes over from a worker
 * that lives. An attempt begins only if it ends before both have run out (`Pulse`).
 */
export const attemptDeadlineMs = 15_000

const longestPauseSeconds = 30

/** The pause before the next attempt: 1, 2, 4, 8 … at most 30 seconds. */
export const pauseSeconds = (attempt: number) => Math.min(2 ** Math.min(attempt - 1, 5), longestPauseSeconds)
