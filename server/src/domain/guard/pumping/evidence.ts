/** A verdict in words, with its numbers; places are named without the digits that would complete a number. */

import type { Stop } from './judge.ts'
import type { Level } from './levels.ts'

const levelWords: Readonly<Record<Level, string>> = {
  b100: 'a block of 100 numbers within',
  b1k: 'a block of 1,000 numbers within',
  b10k: 'the block of 10,000 numbers',
  carrier: 'the carrier',
  country: 'the country',
  unfamiliar: 'all',
  ip: 'the address',
  trial: 'the app',
  learning: 'the app',
}

export function describeStop({ by, state, isHold }: Stop): string {
  const place = `${levelWords[by.level]} ${by.label}`
  const kind = isHold ? 'held for a moment' : 'blocked for paid messages'
  return `Pumping: ${place} is ${kind}: ${state.approved} of ${state.numbers} new numbers there were approved.`
}
