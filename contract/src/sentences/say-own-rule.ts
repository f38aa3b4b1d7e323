import type { Outcome, RuleFacts } from '../verification/decision.ts'
import { sayDuration } from './say-duration.ts'
import type { Words } from './words.ts'

type OwnRuleFacts = RuleFacts['own_rule']

const effectWords: Readonly<Record<OwnRuleFacts['effect'], (words: Words, facts: OwnRuleFacts) => string>> = {
  refuse: (words, facts) =>
    'channels' in facts || facts.action === 'link'
      ? `asks for ${askedFor(words, facts)}, which cannot be used here`
      : `refuses it${waitOf(words, facts)}`,
  hold: (words, facts) => `holds it${waitOf(words, facts)}`,
  reroute: (words, facts) =>
    `moves it to ${facts.action === 'link' ? 'the link' : goal(words, facts)} (only ${askedFor(words, facts)})`,
  pass: () => 'lets it pass the guard',
  none: () => 'leaves it as it is',
}

const goal = ({ channel }: Words, facts: OwnRuleFacts) =>
  'channel' in facts && facts.channel !== null ? channel(facts.channel) : 'no channel'
const askedFor = ({ channel }: Words, facts: OwnRuleFacts) =>
  'channels' in facts ? facts.channels.map(channel).join(', ') : 'the link'
const waitOf = ({ scope, again }: Words, facts: OwnRuleFacts) =>
  'retry_after' in facts && facts.retry_after > 0
    ? `${scope('rule')}. ${again(sayDuration(facts.retry_after))}`
    : ''

export function sayOwnRule(facts: OwnRuleFacts, words: Words, outcome: Outcome): string {
  const does = effectWords[facts.effect](words, facts)
  return outcome === 'shadow'
    ? `In shadow, so without effect: the rule “${facts.name}” ${does}.`
    : `The rule “${facts.name}” ${does}.`
}
