/**
 * The name of each rule, and its sentence made from its facts: for answers, errors, previews and pages.
 *
 * Pages load this folder at run time, so its files need only types and each other.
 */
import type {
  Decided,
  Outcome,
  RuleFacts,
  RuleName,
  RuleResult,
  StoredRule,
} from '../verification/decision.ts'
import { sayAccount } from './say-account.ts'
import { sayDuration } from './say-duration.ts'
import { sayLimit, sayLimits, saySendAttempts } from './say-limits.ts'
import { sayBalance, saySpend, tellSpend } from './say-money.ts'
import { sayOwnRule } from './say-own-rule.ts'
import { sayPumping, tellPumping } from './say-pumping.ts'
import { sayGeo, sayRecipient } from './say-recipient.ts'
import { sayReputation } from './say-reputation.ts'
import { sayRouting } from './say-routing.ts'
import { type Words, wordsOfApi } from './words.ts'

export { readCarrierPlace } from './carrier-place.ts'
export { sayDuration } from './say-duration.ts'
export { sayListing } from './say-reputation.ts'
export { sayNoWay } from './say-routing.ts'
export type { Words } from './words.ts'

interface WordsOfRule<Rule extends RuleName> {
  /** The heading that pages give it. */
  readonly name: string
  readonly say: (facts: RuleFacts[Rule], words: Words, outcome: Outcome) => string
  /** What a refused caller is told, where the sentence has evidence that is not for a person's device. */
  readonly tell?: (facts: RuleFacts[Rule]) => string
}

const wordsOfRules: { readonly [Rule in RuleName]: WordsOfRule<Rule> } = {
  paused: {
    name: 'App is paused',
    say: ({ since }) => `The app has been paused since ${since}, and sends nothing new.`,
  },
  recipient: { name: 'Recipient', say: sayRecipient },
  geo: { name: 'Country', say: sayGeo },
  ip_reputation: { name: 'Client IP', say: sayReputation },
  exception: {
    name: 'Blocked or allowed recipient',
    say: ({ kind }, { recipient }) =>
      kind === 'blocked'
        ? `This ${recipient} is blocked.`
        : `This ${recipient} is allowed past the guard for a day.`,
  },
  own_rule: { name: 'Your own rule', say: sayOwnRule },
  routing: { name: 'Routing', say: sayRouting },
  pumping: { name: 'Pumping guard', say: sayPumping, tell: tellPumping },
  limits: { name: 'Limits', say: sayLimits },
  'limit.recipient': { name: 'Limit: recipient', say: sayLimit },
  'limit.ip': { name: 'Limit: client IP', say: sayLimit },
  'limit.flagged_ip': { name: 'Limit: flagged client IP', say: sayLimit },
  'limit.app': { name: 'Limit: app', say: sayLimit },
  'limit.app_without_ip': { name: 'Limit: app, without a client IP', say: sayLimit },
  spend: { name: 'Spend caps', say: saySpend, tell: tellSpend },
  balance: { name: 'Price and balance', say: sayBalance },
  account: { name: 'Account', say: sayAccount },
  pending: { name: 'Still pending', say: ({ otp_status }) => `This verification is ${otp_status}.` },
  cooldown: {
    name: 'Cooldown',
    say: ({ retry_after }) =>
      retry_after > 0 ? `A resend is possible in ${sayDuration(retry_after)}.` : 'The cooldown is over.',
  },
  send_attempts: { name: 'Send attempts', say: saySendAttempts },
}

/** A rule that no longer exists keeps the name that the service gave it. */
export const ruleName = (rule: string): string =>
  new Map(Object.entries(wordsOfRules)).get(rule)?.name ?? rule

/** The rules that can refuse, without those that only ever pass. */
export const refusingRules = Object.keys(wordsOfRules).filter(
  (rule) => rule !== 'limits' && rule !== 'account',
)

export function whyOf<Rule extends RuleName>(
  { rule, facts, outcome }: Decided<Rule>,
  words = wordsOfApi,
): string {
  return wordsOfRules[rule].say(facts, words, outcome)
}

/** The sentence of the error that a refused caller gets. */
export function toldOf<Rule extends RuleName>(decided: Decided<Rule>): string {
  const { tell } = wordsOfRules[decided.rule]
  return tell ? tell(decided.facts) : whyOf(decided)
}

/** The sentence of a refusal; only the rule's name if the rule no longer exists or its facts have changed since. */
export function whyRefused(rule: string, facts: unknown, words = wordsOfApi): string {
  const isRule = Object.hasOwn(wordsOfRules, rule) && typeof facts === 'object' && facts !== null
  const sentence = isRule ? whyOf({ rule, outcome: 'refuse', facts } as Decided, words) : ''
  return sentence || `Refused by ${rule}.`
}

/** Adds the sentence to the stored result of a rule. Rows older than facts have only a sentence. */
export function resultOf(stored: StoredRule): RuleResult {
  return stored.facts ? { ...stored, why: whyOf(stored) } : { ...stored, facts: null }
}

/** The sentence in a reader's own words. */
export const sayRule = (result: RuleResult, words: Words): string =>
  result.facts ? whyOf(result, words) : result.why
