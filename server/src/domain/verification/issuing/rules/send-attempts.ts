/** How often one verification may be sent. Showing the same link again sends nothing, and is not counted. */
import { routeFor } from '../route.ts'
import { type Rule, refuse } from '../rule.ts'

export const judgeSendAttempts: Rule = (subject, { batch, found }, { providers }) => {
  if (!subject.resend) return null
  const rule = 'send_attempts'
  if (routeFor(subject, batch, found.demands, providers).step.kind === 'same-link')
    return { decided: { rule, outcome: 'skip', facts: { because: 'same_link' } } }
  const { sends: used, maxSends: max } = subject.resend.current
  const facts = { because: 'counted', used, max } as const
  return used >= max
    ? refuse({ rule, outcome: 'refuse', facts }, 'ResendNotAllowedError')
    : { decided: { rule, outcome: 'pass', facts } }
}
