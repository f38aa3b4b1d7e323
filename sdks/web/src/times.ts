/** When a resend is possible and when the code ends, by this device's clock. */
import type { StatusAnswer } from './api.ts'

export interface Times {
  readonly learn: (answer: StatusAnswer, clockSkewMs: number) => void
  readonly coolDown: (seconds: number) => void
  /** Null while it is not known, and if no resend can follow. */
  readonly secondsToResend: () => number | null
  /** Zero while it is not known. */
  readonly expiresAtMs: () => number
}

export function createTimes(): Times {
  let resendAtMs: number | null = null
  let expiresAtMs = 0
  let lastMs = 0
  /** If the clock is set back, both times are moved too, or a person would wait longer by as much. */
  function now(): number {
    const nowMs = Date.now()
    if (nowMs < lastMs) {
      expiresAtMs &&= expiresAtMs + nowMs - lastMs
      resendAtMs &&= resendAtMs + nowMs - lastMs
    }
    lastMs = nowMs
    return nowMs
  }
  return {
    learn: ({ resend_available_at: resendAt, expires_at: expiresAt }, clockSkewMs) => {
      now()
      resendAtMs = resendAt === null ? null : Date.parse(resendAt) - clockSkewMs
      expiresAtMs = Date.parse(expiresAt) - clockSkewMs
    },
    coolDown: (seconds) => {
      resendAtMs = now() + seconds * 1000
    },
    secondsToResend: () => {
      const nowMs = now()
      return resendAtMs === null ? null : Math.max(0, Math.ceil((resendAtMs - nowMs) / 1000))
    },
    expiresAtMs: () => {
      now()
      return expiresAtMs
    },
  }
}
