/** When a resend is possible and when the code ends, by this device's clock. */
import type { StatusAnswer } from './api.ts'

export interface Times {
  readonly learn: (answer: StatusAnswer, clockSkewMs: number) => void
  readonly coolDown: (seconds: number) => void
  /** After a send: both have moved, and only a look tells where to. */
  readonly forget: () => void
  /** Null while not known, and where no resend can follow. */
  readonly secondsToResend: () => number | null
  /** Zero while it is not known. */
  readonly expiresAtMs: () => number
}

export function createTimes(): Times {
  let resendAtMs: number | null = null
  let expiresAtMs = 0
  return {
    learn: ({ resend_available_at: resendAt, expires_at: expiresAt }, clockSkewMs) => {
      resendAtMs = resendAt === null ? null : Date.parse(resendAt) - clockSkewMs
      expiresAtMs = Date.parse(expiresAt) - clockSkewMs
    },
    coolDown: (seconds) => {
      resendAtMs = Date.now() + seconds * 1000
    },
    forget: () => {
      resendAtMs = null
      expiresAtMs = 0
    },
    secondsToResend: () =>
      resendAtMs === null ? null : Math.max(0, Math.ceil((resendAtMs - Date.now()) / 1000)),
    expiresAtMs: () => expiresAtMs,
  }
}
