/** The wait between a send or resend and the next resend. */
import { type Rule, refuse } from '../rule.ts'

export const judgeCooldown: Rule = ({ resend }, { batch }) => {
  if (!resend) return null
  const retry_after = Math.max(0, Math.ceil((resend.current.resendAt.getTime() - batch.nowMs) / 1000))
  const facts = { retry_after }
  if (retry_after === 0) return { decided: { rule: 'cooldown', outcome: 'pass', facts } }
  const details = { scope: 'cooldown', retry_after }
  return refuse({ rule: 'cooldown', outcome: 'refuse', facts }, 'ResendCooldownError', details)
}
