/** What the operator's lists say of the person's address. */
import { listingOf } from '../../../guard/index.ts'
import { type Rule, refuse } from '../rule.ts'

export const judgeReputation: Rule = ({ clientIp }, _state, { reputation }) => {
  const rule = 'ip_reputation'
  if (clientIp === null) return { decided: { rule, outcome: 'skip', facts: { because: 'no_client_ip' } } }
  const standing = reputation.classify(clientIp)
  const facts = listingOf(standing)
  if (standing.treatment === 'refuse')
    return refuse({ rule, outcome: 'refuse', facts }, 'IpReputationBlockedError')
  const found = { isFlagged: standing.treatment === 'flag' }
  return { decided: { rule, outcome: 'pass', facts }, found }
}
