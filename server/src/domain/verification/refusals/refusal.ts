/**
 * A send or resend that was refused, and the rule that refused it.
 *
 * Refusals are noted in memory where they are decided, and written a moment later, many at once: nobody waits for
 * that. Up to a rate each gets a row of its own; beyond it equal ones share a row that says how many they were.
 */
import type { ChannelName, Decided } from '@countersign/contract'
import type { AppId, CompanyId, KeyId, OtpId } from '../../../platform/ids.ts'

export interface Refusal {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly kind: 'send' | 'resend'
  /** The verification of a resend; null for a send. */
  readonly otpId: OtpId | null
  readonly errorType: string
  /** What the rule that refused has found. */
  readonly decided: Decided
  readonly maskedRecipient: string
  /** Null if the text was no recipient. */
  readonly recipientHash: Buffer | null
  readonly country: string | null
  /** The channel that it would have used; null if that is not known. */
  readonly channel: ChannelName | null
  /** Null if refusals of several keys share a row. */
  readonly keyId: KeyId | null
  readonly clientIp: string | null
  /** What it would have cost by the price book; null without a channel. */
  readonly priceMicros: bigint | null
  readonly atMs: number
}

export type NoteRefusal = (refusal: Refusal) => void
