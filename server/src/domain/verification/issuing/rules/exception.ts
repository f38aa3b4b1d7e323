/** Recipients that somebody has blocked, or lets past the guard for a day. Other recipients get no decision. */
import { type Rule, refuse } from '../rule.ts'

export const judgeException: Rule = ({ app, recipientHash }, { batch }) => {
  const kind = batch.exceptionFor(app.companyId, recipientHash)
  if (kind === null) return null
  const rule = 'exception'
  const facts = { kind }
  if (kind === 'blocked') return refuse({ rule, outcome: 'refuse', facts }, 'RecipientBlockedError')
  return { decided: { rule, outcome: 'pass', facts }, found: { isAllowed: true } }
}
