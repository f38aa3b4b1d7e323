/** Recipients and client IPs that no other test uses, also when an instance is tested again and again. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Channel } from '../harness/simulator.ts'

const eightDigits = 90_000_000
/** Coprime to the count, so that no number comes again, and consecutive ones are far apart, as people's are. */
const step = 34_376_941
let last = randomInt(eightDigits)

/** A German mobile number. */
export function newPhone(): string {
  last = (last + step) % eightDigits
  return `+49151${10_000_000 + last}`
}
export const newEmail = () => `ann-${randomBytes(8).toString('hex')}@example.com`
export const newRecipient = (channel: Channel) => (channel === 'email' ? newEmail() : newPhone())

/** Public addresses of an access provider. */
export const newAddress = () => `86.${randomInt(1, 128)}.${randomInt(1, 255)}.${randomInt(1, 255)}`
export const newAddress6 = () =>
  `2a00:23c5:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
