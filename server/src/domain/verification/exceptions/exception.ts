/** A recipient whom somebody has blocked in a company, or lets past the guard for a day. */
import type { ExceptionKind } from '@countersign/contract'
import type { PersonId } from '../../../platform/ids.ts'

export interface Exception {
  readonly exceptionId: string
  readonly kind: ExceptionKind
  readonly maskedRecipient: string
  /** Null if it was made with the operator's token. */
  readonly personId: PersonId | null
  readonly createdAt: Date
  /** Null if it lasts until somebody lifts it. */
  readonly expiresAt: Date | null
}

/** Identifies the recipient of an exception; the recipient itself is not stored. */
export interface KnownRecipient {
  readonly recipientHash: Buffer
  readonly maskedRecipient: string
}

export const allowedHours = 24
