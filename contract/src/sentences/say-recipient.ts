import type { RuleFacts } from '../verification/decision.ts'
import type { Words } from './words.ts'

export function sayRecipient(facts: RuleFacts['recipient'], { country, recipient }: Words): string {
  switch (facts.because) {
    case 'phone':
      return `A phone number (${country(facts.country)}).`
    case 'email':
      return 'An email address.'
    case 'disposable_email':
      return facts.treatment === 'refuse'
        ? `${recipient} is a disposable email address, which this app does not accept.`
        : `A disposable email address (${facts.treatment}).`
    case 'invalid':
      return `${recipient} must be a phone number in E.164 form (+ and 8 to 15 digits without spaces, of a kind that one person can own) or an email address.`
  }
}

export function sayGeo(facts: RuleFacts['geo'], { country }: Words): string {
  switch (facts.because) {
    case 'no_country':
      return 'An email address has no country.'
    case 'allowed':
      return `${country(facts.country)} is not blocked.`
    case 'blocked':
      return `Sending to ${country(facts.country)} is blocked for this app.`
  }
}
