/** Recipients and addresses of end users that no other test has, also on an instance that is tried again and again. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Channel } from '../harness/simulator.ts'

const eightDigits = 90_000_000
/** It has no divisor in common with their count, so that none comes again, and two in a row are far apart, as people's are. */
const step = 34_376_941
let last = randomInt(eightDigits)

/** A German mobile number. */
export function newPhone(): string {
  last = (last + step) % eightDigits
  return `+49151${10_000_000 + last}`
}
export const newEmail = () => `ann-${randomBytes(8).toString('hex')}@example.com`
export const newRecipient = (channel: Channel) => (channel === 'email' ? newEmail() : newPhone())

/** Public addresses of an access provider's. */
export const newAddress = () => `86.${randomInt(1, 128)}.${randomInt(1, 255)}.${randomInt(1, 255)}`
export const newAddress6 = () =>
  `2a00:23c5:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
