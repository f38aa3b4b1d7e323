/** Recipients and addresses of end users that no other test has, also on an instance that is tried again and again. */
import { randomBytes, randomInt } from 'node:crypto'
import type { Channel } from '../harness/simulator.ts'

/** A German mobile number. */
export const newPhone = () => `+49151${randomInt(10_000_000, 100_000_000)}`
export const newEmail = () => `ann-${randomBytes(8).toString('hex')}@example.com`
export const newRecipient = (channel: Channel) => (channel === 'email' ? newEmail() : newPhone())

/** Public addresses of an access provider's. */
export const newAddress = () => `86.${randomInt(1, 128)}.${randomInt(1, 255)}.${randomInt(1, 255)}`
export const newAddress6 = () =>
  `2a00:23c5:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
