import { EVERYBODY, isOutcome, OUTCOMES, type Outcome } from '../behaviour.ts'
import { CHANNELS, type Channel, isChannel } from '../channel.ts'
import type { Parser } from '../http/fields.ts'
import { findPhone, findRecipient } from '../recipient.ts'

const MAX_DELAY_MS = 300_000
const MAX_TEXT_CHARACTERS = 4_096

export const parsePhone: Parser<string> = (value) => {
  const phone = typeof value === 'string' ? findPhone(value) : null
  return phone === null ? { message: 'must be a phone number in E.164' } : { value: phone }
}

export const parsePhoneOrNull: Parser<string | null> = (value) =>
  value === null ? { value: null } : parsePhone(value)

export const parseRecipient: Parser<string> = (value) => {
  const recipient = typeof value === 'string' ? findRecipient(value) : null
  return recipient === null
    ? { message: 'must be a phone number in E.164 or an email address' }
    : { value: recipient }
}

export const parseRecipientOrEverybody: Parser<string> = (value) => {
  if (value === EVERYBODY) return { value: EVERYBODY }
  const result = parseRecipient(value)
  return 'value' in result ? result : { message: `${result.message}, or ${EVERYBODY}` }
}

export const parseChannelIfGiven: Parser<Channel | null> = (value) => {
  if (value === undefined || value === null) return { value: null }
  return isChannel(value) ? { value } : { message: `must be one of ${CHANNELS.join(', ')}` }
}

export const parseOutcome: Parser<Outcome> = (value) =>
  isOutcome(value) ? { value } : { message: `must be one of ${OUTCOMES.join(', ')}` }

export const parseDelay: Parser<number> = (value) => {
  if (value === undefined || value === null) return { value: 0 }
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_DELAY_MS
  return fits ? { value } : { message: `must be a whole number from 0 to ${MAX_DELAY_MS}` }
}

export const parseFlag: Parser<boolean> = (value) => {
  if (value === undefined || value === null) return { value: false }
  return typeof value === 'boolean' ? { value } : { message: 'must be true or false' }
}

export const parseText: Parser<string> = (value) => {
  const fits = typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT_CHARACTERS
  return fits ? { value } : { message: `must be a text of 1 to ${MAX_TEXT_CHARACTERS} characters` }
}
