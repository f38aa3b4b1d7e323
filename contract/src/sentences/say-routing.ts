import type { RuleFacts } from '../verification/decision.ts'
import { type Words, wordsOfApi } from './words.ts'

type LeftOut = RuleFacts['routing']['left_out'][number]

const leftOutWords: Readonly<Record<LeftOut['because'], string>> = {
  not_enabled: 'not enabled for the app',
  not_to_phones: 'does not reach phone numbers',
  not_to_emails: 'does not reach email addresses',
  fixed_line: 'the number is a fixed line',
  unreachable: 'a provider found the person unreachable here',
  no_provider: 'no provider',
  own_rule: 'a rule of the app leaves it out',
}

function sayOrder(
  { order, left_out }: Pick<RuleFacts['routing'], 'order' | 'left_out'>,
  { channel }: Words,
): string {
  const clauses = left_out.map((left) => `${channel(left.channel)}: ${leftOutWords[left.because]}`)
  const left = clauses.length > 0 ? ` Left out: ${clauses.join('; ')}.` : ''
  return `Order: ${order.map(channel).join(', ') || 'none'}.${left}`
}

const chosenAs = { message: '', link: ', a new link', same_link: ', the same link' } as const

export function sayRouting(facts: RuleFacts['routing'], words: Words): string {
  const order = sayOrder(facts, words)
  return facts.because === 'chosen'
    ? `${order} Chosen: ${words.channel(facts.channel)}${chosenAs[facts.as]}.`
    : `${sayNoWay(facts, words)} ${order}`
}

type NoWay = Exclude<RuleFacts['routing'], { because: 'chosen' }>

/** Leaves out the order and what became of earlier messages, which are not for a person's device. */
export function sayNoWay(facts: NoWay, { channel } = wordsOfApi): string {
  switch (facts.because) {
    case 'no_channel':
      return 'No enabled channel can reach this recipient.'
    case 'no_channel_left':
      return 'No enabled channel is left for this recipient.'
    case 'no_link':
      return 'A rule of the app asks for the link, and there is none for this recipient.'
    case 'channel_not_usable':
      return `The channel ${channel(facts.channel)} is not enabled for this app, or cannot reach this recipient.`
  }
}
