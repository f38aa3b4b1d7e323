/** What the operator's lists say of the person's address. */
import { listingOf } from '../../../guard/index.ts'
import { type Rule, refuse } from '../rule.ts'

export const judgeReputation: Rule = ({ clientIp }, { found: { demands, isAllowed } }, { reputation }) => {
  const rule = 'ip_reputation'
  if (clientIp === null) return { decided: { rule, outcome: 'skip', facts: { because: 'no_client_ip' } } }
  const standing = reputation.classify(clientIp)
  const facts = listingOf(standing)
  const isAbusive = standing.treatment === 'refuse'
  const excuse = excuseOf(isAllowed, demands.isExcused)
  if (isAbusive && !excuse) return refuse({ rule, outcome: 'refuse', facts }, 'IpReputationBlockedError')
  // The tighter limit applies even to those who are excused.
  const found = { isFlagged: standing.treatment !== 'none' }
  const excused = isAbusive && excuse && facts.because === 'listed' ? { ...facts, excuse } : facts
  return { decided: { rule, outcome: 'pass', facts: excused }, found }
}

function excuseOf(isAllowed: boolean, isExcused: boolean): 'exception' | 'own_rule' | null {
  if (isAllowed) return 'exception'
  return isExcused ? 'own_rule' : null
}
