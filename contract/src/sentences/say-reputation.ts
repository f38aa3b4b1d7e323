import type { Outcome, RuleFacts } from '../verification/decision.ts'
import { excuseWords, type Words } from './words.ts'

export function sayReputation(
  facts: RuleFacts['ip_reputation'],
  { clientIp }: Words,
  outcome: Outcome,
): string {
  if (outcome === 'refuse') return `The ${clientIp} is a known source of abuse.`
  return facts.because === 'no_client_ip' ? `No usable ${clientIp}.` : sayListing(facts)
}

export function sayListing(facts: Exclude<RuleFacts['ip_reputation'], { because: 'no_client_ip' }>): string {
  if (facts.because === 'unlisted') return 'Not on any list.'
  const stale = facts.is_stale ? ' The list is too old or unreadable, so it only throttles.' : ''
  const excuse = facts.excuse ? ` ${excuseWords[facts.excuse]}.` : ''
  return `Listed as ${facts.class}.${stale}${excuse}`
}
