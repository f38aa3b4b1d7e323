/**
 * Three accounts in eight countries, drawn from a seed.
 *
 *   steady   the dearest, first in priority, and nearly everywhere the best
 *   falling  cheaper; worse in some countries; from noon until six hardly any of its messages arrive, and it sends no receipts
 *   lying    the cheapest; many of its messages never arrive, and all its receipts say that they were delivered
 */
import { createRandom, type Random } from '../pumping/random.ts'

export const accountNames = ['steady', 'falling', 'lying'] as const
export type AccountName = (typeof accountNames)[number]

interface Offer {
  readonly priceMicros: number
  /** The share of its messages whose code is typed. */
  readonly conversion: number
}

export interface World {
  readonly countries: readonly string[]
  readonly offer: (account: AccountName, country: string, second: number) => Offer
  /** Seconds from the send until the code is typed. */
  readonly typingSeconds: () => number
  readonly random: Random
}

/** Times are seconds since six in the morning. */
export const noon = 6 * 3_600
export const evening = 12 * 3_600
export const midnight = 18 * 3_600

const countries = ['GB', 'DE', 'BR', 'IN', 'NG', 'ID', 'PL', 'MX']

export function drawWorld(seed: number): World {
  const random = createRandom(seed)
  const between = (low: number, high: number) => low + (high - low) * random.next()
  const drawn = new Map(
    countries.map((country) => {
      const price = between(20_000, 80_000)
      const people = between(0.6, 0.9)
      const steady = { priceMicros: price, conversion: people * between(0.95, 1) }
      const falling = { priceMicros: price * between(0.5, 0.85), conversion: people * between(0.7, 1) }
      const lying = { priceMicros: price * between(0.35, 0.6), conversion: people * between(0.2, 0.6) }
      return [country, { steady, falling, lying }] as const
    }),
  )
  const fallen = between(0.05, 0.3)
  return {
    countries,
    random,
    offer: (account, country, second) => {
      const offer = drawn.get(country)?.[account]
      if (!offer) throw new Error('a country that is not in the world')
      const isDown = account === 'falling' && second >= noon && second < evening
      return isDown ? { ...offer, conversion: offer.conversion * fallen } : offer
    },
    // Half of the codes are typed within twenty seconds, one in twenty after more than a minute.
    typingSeconds: () => 20 * Math.exp(0.7 * random.normal()),
  }
}

/** The choice of somebody who knows everything: the cheapest approval among the accounts not under the floor. */
export function oracle(world: World, country: string, second: number, floor: number): AccountName {
  const offers = accountNames.map((name) => ({ name, ...world.offer(name, country, second) }))
  const best = Math.max(...offers.map(({ conversion }) => conversion))
  const able = offers.filter(({ conversion }) => conversion >= floor * best)
  const [cheapest] = able.sort(
    (one, other) => one.priceMicros / one.conversion - other.priceMicros / other.conversion,
  )
  if (!cheapest) throw new Error('no account is left')
  return cheapest.name
}
