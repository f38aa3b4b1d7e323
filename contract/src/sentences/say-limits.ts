import type { Outcome, RuleFacts } from '../verification/decision.ts'
import type { CountedScope } from '../vocabulary.ts'
import { sayDuration } from './say-duration.ts'
import type { Words } from './words.ts'

function scopeWords(scope: CountedScope, { clientIp }: Words): string {
  switch (scope) {
    case 'recipient':
      return 'for this recipient'
    case 'ip':
      return `from this ${clientIp}`
    case 'flagged_ip':
      return `from a VPN, proxy, Tor or datacenter ${clientIp}`
    case 'app':
      return 'for this app'
    case 'app_without_ip':
      return `for this app without a usable ${clientIp}`
  }
}

export function sayLimit({ scope, retry_after }: RuleFacts['limit.recipient'], words: Words): string {
  return `Too many requests ${scopeWords(scope, words)}${words.scope(scope)}. ${words.again(sayDuration(retry_after))}.`
}

export const sayLimits = ({ scopes }: RuleFacts['limits'], words: Words) =>
  `Within the limits ${scopes.map((scope) => scopeWords(scope, words)).join(', ')}.`

export function saySendAttempts(facts: RuleFacts['send_attempts'], _words: Words, outcome: Outcome): string {
  if (facts.because === 'same_link') return 'The same link again sends nothing.'
  const { used, max } = facts
  if (outcome === 'refuse')
    return max === 1
      ? 'The one send attempt of this verification is spent.'
      : `All ${max} send attempts of this verification are spent.`
  return `${max - used} of ${max} send attempts are left before this one.`
}
