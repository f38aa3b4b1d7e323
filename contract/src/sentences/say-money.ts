import type { Outcome, RuleFacts } from '../verification/decision.ts'
import { sayDuration } from './say-duration.ts'
import type { Words } from './words.ts'

type Counted = Extract<RuleFacts['spend'], { because: 'counted' }>

export function saySpend(facts: RuleFacts['spend'], words: Words, outcome: Outcome): string {
  switch (facts.because) {
    case 'link':
      return 'A link costs nothing.'
    case 'free':
      return 'This costs nothing.'
    case 'unread':
      return 'The caps could not be read, so the message is not held back.'
    case 'counted': {
      const isRefused = outcome === 'refuse'
      const caps = facts.caps.filter(({ is_over }) => is_over || !isRefused)
      const evidence = `${caps.map((cap) => sayCap(cap, facts.country, words)).join(', ')}.`
      if (isRefused) return `A spend cap is reached: with this message ${evidence}`
      return facts.excuse ? `Simulated; otherwise it would be refused. ${evidence}` : evidence
    }
  }
}

/** Leaves out amounts, which are not for a person's device. */
export function tellSpend(facts: RuleFacts['spend']): string {
  if (facts.because !== 'counted' || !facts.reached)
    return 'This would be more than this app may spend (scope spend).'
  const { country, reached } = facts
  const what =
    reached.cap_name === 'day_by_country'
      ? `in a day for ${country ?? 'email addresses'}`
      : 'in an hour on verifications that are not approved'
  return `This would be more than what this app may spend ${what} (scope spend). Try again in ${sayDuration(reached.retry_after)}.`
}

function sayCap(
  { cap_name, spent, cap }: Counted['caps'][number],
  code: string | null,
  words: Words,
): string {
  const counted = `${words.money(spent)} ${cap === null ? 'without a cap' : `of ${words.money(cap)}`}`
  return cap_name === 'day_by_country'
    ? `${counted} ${sayPlace(code, words)} today`
    : `${counted} unverified in this hour`
}

const sayPlace = (code: string | null, { country }: Words) =>
  code === null ? 'for email addresses' : `for ${country(code)}`

export function sayBalance(facts: RuleFacts['balance'], { money }: Words, outcome: Outcome): string {
  switch (facts.because) {
    case 'link':
      return 'A link costs nothing until a message is sent.'
    case 'not_metered':
      return 'The company is not metered.'
    case 'price':
      return outcome === 'refuse'
        ? `The balance is not enough: this message costs ${money(facts.price)}.`
        : `The price is ${money(facts.price)}.`
  }
}
