/** What the operator's lists say of the person's address. */
import { listingOf } from '../../../guard/index.ts'
import { type Rule, refuse } from '../rule.ts'

export const judgeReputation: Rule = ({ clientIp }, { found: { own } }, { reputation }) => {
  const rule = 'ip_reputation'
  if (clientIp === null) return { decided: { rule, outcome: 'skip', facts: { because: 'no_client_ip' } } }
  const standing = reputation.classify(clientIp)
  const facts = listingOf(standing)
  const isAbusive = standing.treatment === 'refuse'
  if (isAbusive && !own.isExcused)
    return refuse({ rule, outcome: 'refuse', facts }, 'IpReputationBlockedError')
  // Who is excused is still held to the tighter limit.
  const found = { isFlagged: standing.treatment !== 'none' }
  const excused =
    isAbusive && facts.because === 'listed' ? ({ ...facts, excuse: 'own_rule' } as const) : facts
  return { decided: { rule, outcome: 'pass', facts: excused }, found }
}
