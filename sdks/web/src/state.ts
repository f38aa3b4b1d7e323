/**
 * The state that a screen shows.
 *
 *   idle ── start, resume ──▶ sending ──▶ waiting ── verify ──▶ verifying ──▶ verified
 *                               ▲            │  ▲                  │
 *                               └── resend ──┘  └── a wrong code ──┤
 *                                            │                     │
 *                                            └──▶ expired, failed ◀┘
 *
 * A start that is refused goes back to idle, a resend or a verify to waiting, each with `error`.
 */
import type { CountersignError } from './errors.ts'

export type Channel = 'sms' | 'whatsapp' | 'telegram' | 'email'
/** `code`: the person types a code. `inbound`: their WhatsApp message approves, and there is no code. */
export type Completion = 'code' | 'inbound'
export type Phase = 'idle' | 'sending' | 'waiting' | 'verifying' | 'verified' | 'expired' | 'failed'

export interface VerificationState {
  /**
   * `verified` is only a hint for this screen, like the API's `matched`: a device can be made to say anything.
   * Proof is what your backend gets when it exchanges `verificationToken`.
   */
  readonly phase: Phase
  readonly otpId: string | null
  readonly channel: Channel | null
  readonly maskedRecipient: string | null
  /** A `wa.me` link, in the two WhatsApp link modes: call `openWhatsApp()`, or show it as a QR code. */
  readonly actionUrl: string | null
  readonly completion: Completion | null
  /** Seconds until a resend is possible: 0 is now, null is never or not known yet. */
  readonly resendIn: number | null
  readonly expiresAt: string | null
  readonly attemptsRemaining: number | null
  /** The last code that was entered was wrong. */
  readonly isCodeWrong: boolean
  /** The code that the phone read from the message by itself. */
  readonly code: string | null
  /**
   * Send it to your backend, which exchanges it for the recipient that it proves.
   * Null after an inbound approval: there your backend asks about the `otpId` that it started itself.
   */
  readonly verificationToken: string | null
  /** A JWT that any service can check with the published keys; null if the app has not turned proofs on. */
  readonly proof: string | null
  readonly error: CountersignError | null
}

export const idle: VerificationState = {
  phase: 'idle',
  otpId: null,
  channel: null,
  maskedRecipient: null,
  actionUrl: null,
  completion: null,
  resendIn: null,
  expiresAt: null,
  attemptsRemaining: null,
  isCodeWrong: false,
  code: null,
  verificationToken: null,
  proof: null,
  error: null,
}
