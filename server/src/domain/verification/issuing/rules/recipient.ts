/** Disposable email addresses, if the app refuses them. A text that is no recipient is refused before any rule. */
import type { RuleFacts } from '@countersign/contract'
import { type Rule, refuse } from '../rule.ts'

export const judgeRecipient: Rule = ({ app, country, isDisposable }) => {
  const { disposable_email: treatment } = app.settings
  const rule = 'recipient'
  if (country) return { decided: { rule, outcome: 'pass', facts: { because: 'phone', country } } }
  const facts: RuleFacts['recipient'] = isDisposable
    ? { because: 'disposable_email', treatment }
    : { because: 'email' }
  return isDisposable && treatment === 'refuse'
    ? refuse({ rule, outcome: 'refuse', facts }, 'InvalidRecipientError')
    : { decided: { rule, outcome: 'pass', facts } }
}
