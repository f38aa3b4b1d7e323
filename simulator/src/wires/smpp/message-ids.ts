import { randomInt } from 'node:crypto'

// In hexadecimal an id has eight digits, in decimal nine or more, so the two forms cannot be confused.
const LOWEST = 0x10000000
const HIGHEST_START = 0xe0000000

/** Ids that count up from a random start, so that a restart does not repeat them. */
export function countMessageIds(): () => number {
  let last = randomInt(LOWEST, HIGHEST_START)
  return () => {
    last += 1
    return last
  }
}
