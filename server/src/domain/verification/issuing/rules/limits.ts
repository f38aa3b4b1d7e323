/** How often one recipient, one address and one app may ask. */
import { type LimitCheck, type LimitVerdict, limitsOf, testLimit } from '../../../guard/index.ts'
import { type Rule, type RuleState, refuse, routeOf, type Subject } from '../rule.ts'

export const judgeLimits: Rule = (subject, { batch, found }) => {
  // Showing the link that the person already has sends nothing.
  if (routeOf(found).step.kind === 'same-link') return null
  const checks = checksOf(subject, found)
  const over = longestOver(checks, (check) =>
    testLimit(check, batch.limit(subject.app.companyId, check), batch.nowMs),
  )
  if (over) {
    const { check, verdict } = over
    const { scope, isCharged } = check
    const { window, used, retryAfterSeconds: retry_after } = verdict
    const counted = isCharged ? 'requests' : 'wrong_codes'
    const { max, window_s } = window
    const facts = { scope, counted, used, max, window_s, retry_after } as const
    const details = { scope, retry_after }
    return refuse({ rule: `limit.${scope}`, outcome: 'refuse', facts }, 'RateLimitExceededError', details)
  }
  const scopes = [...new Set(checks.map((check) => check.scope))]
  return { decided: { rule: 'limits', outcome: 'pass', facts: { scopes } }, wants: { counted: checks } }
}

interface Over {
  readonly check: LimitCheck
  readonly verdict: Extract<LimitVerdict, { isAllowed: false }>
}

/** In the first scope that refuses, the limit with the longest wait: after it, no limit of that scope refuses. */
function longestOver(
  checks: readonly LimitCheck[],
  test: (check: LimitCheck) => LimitVerdict,
): Over | undefined {
  let longest: Over | undefined
  for (const check of checks) {
    if (longest && longest.check.scope !== check.scope) continue
    const verdict = test(check)
    if (verdict.isAllowed || verdict.retryAfterSeconds <= (longest?.verdict.retryAfterSeconds ?? 0)) continue
    longest = { check, verdict }
  }
  return longest
}

const checksOf = (subject: Subject, { isFlagged }: RuleState['found']): LimitCheck[] => {
  const { app, recipientHash, ipKey, isDisposable, resend } = subject
  return limitsOf(app.settings.limits, {
    kind: resend ? 'resend' : 'send',
    appId: app.appId,
    recipientHash,
    ipKey,
    isFlagged,
    isHalved: isDisposable && app.settings.disposable_email !== 'allow',
  })
}
