/** Recipients that no other test of this run uses. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Channel } from './simulator.ts'

let next = randomInt(100_000, 900_000)
const sixDigits = () => String(next++)

/** A British mobile number. */
export const newPhone = () => `+447400${sixDigits()}`
export const newEmail = () => `ann-${randomBytes(6).toString('hex')}@example.com`
export const newRecipient = (channel: Channel) => (channel === 'email' ? newEmail() : newPhone())

/** Mobile numbers in E.164 of the countries whose numbers WhatsApp spells in its own way. */
export const respelledPhones: Readonly<Record<string, () => string>> = {
  'a Brazilian': () => `+5531998${sixDigits()}`,
  'a Mexican': () => `+525512${sixDigits()}`,
  'an Argentinian': () => `+5491123${sixDigits()}`,
}
