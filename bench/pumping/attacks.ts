/** Nine ways to pump. Thirty sends a minute for four hours, unless said otherwise. */
import { attacked, type Country, digits, numberIn, served } from './countries.ts'
import type { Random } from './random.ts'
import { flaggedIp, freshIp, hourSeconds, type Send } from './traffic.ts'

export const attackNames = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9'] as const
export type AttackName = (typeof attackNames)[number]

export const attackWords: Readonly<Record<AttackName, string>> = {
  A1: 'one range in sequence, one data-centre address',
  A2: 'one 10k range, a new address each',
  A3: '200 1k ranges of one foreign carrier',
  A4: 'low and slow: 40 ranges, 5 countries, 3.3 a minute for 21 h',
  A5: 'as A3, inside a busy carrier at home',
  A6: '40 % faked approvals, 60 ranges',
  A7: 'random numbers of one foreign country',
  A8: 'a new 10k range every 6 sends, 12 countries',
  A9: 'random numbers of the whole home country',
}

interface Pace {
  readonly from: number
  readonly perMinute: number
  readonly seconds: number
}

const times = (random: Random, { from, perMinute, seconds }: Pace): number[] => {
  const list: number[] = []
  for (let t = from; t < from + seconds; t += random.exponential(60 / perMinute)) list.push(t)
  return list
}

export const attackSeconds = (name: AttackName) => (name === 'A4' ? 21 : 4) * hourSeconds

const prefixIn = (
  random: Random,
  country: Country,
  hidden: number,
  carrier = random.pick(country.carriers),
) => numberIn(random, country, carrier).slice(0, -hidden)

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('an empty list')
  return item
}

export function attackTraffic(random: Random, name: AttackName, from: number): Send[] {
  const pace = { from, perMinute: name === 'A4' ? 3.3 : 30, seconds: attackSeconds(name) }
  const next = createTarget(random, name)
  return times(random, pace).map((t, index) => {
    const { country, recipient } = next(index)
    return {
      t,
      recipient,
      country,
      clientIp: name === 'A1' ? flaggedIp(4_000) : freshIp(random),
      isFlagged: name === 'A1',
      approvesAfter: name === 'A6' && random.next() < 0.4 ? 4 + random.next() * 26 : null,
      label: 'attack',
    }
  })
}

type Target = (index: number) => { country: Country; recipient: string }

function createTarget(random: Random, name: AttackName): Target {
  const foreign = random.pick(attacked)
  const [home] = served
  if (!home) throw new Error('no home')
  switch (name) {
    case 'A1': {
      const start = Number(`1${prefixIn(random, foreign, 4).slice(1)}0000`)
      return (index) => ({ country: foreign, recipient: `+${String(start + (index % 10_000)).slice(1)}` })
    }
    case 'A2': {
      const prefix = prefixIn(random, foreign, 4)
      return () => ({ country: foreign, recipient: `${prefix}${digits(random, 4)}` })
    }
    case 'A3':
    case 'A5': {
      const country = name === 'A3' ? foreign : home
      const carrier = random.pick(country.carriers)
      const prefixes = Array.from({ length: 200 }, () => prefixIn(random, country, 3, carrier))
      return () => ({ country, recipient: `${random.pick(prefixes)}${digits(random, 3)}` })
    }
    case 'A4': {
      const first = random.below(attacked.length)
      const ranges = Array.from({ length: 40 }, (_, index) => {
        const country = at(attacked, first + (index % 5))
        return { country, prefix: prefixIn(random, country, 4) }
      })
      return () => {
        const { country, prefix } = random.pick(ranges)
        return { country, recipient: `${prefix}${digits(random, 4)}` }
      }
    }
    case 'A6': {
      const prefixes = Array.from({ length: 60 }, () => prefixIn(random, foreign, 4))
      return () => ({ country: foreign, recipient: `${random.pick(prefixes)}${digits(random, 4)}` })
    }
    case 'A7':
      return () => ({ country: foreign, recipient: numberIn(random, foreign) })
    case 'A8': {
      let range = { country: foreign, prefix: '' }
      return (index) => {
        if (index % 6 === 0) {
          const country = at(attacked, index / 6)
          range = { country, prefix: prefixIn(random, country, 4) }
        }
        return { country: range.country, recipient: `${range.prefix}${digits(random, 4)}` }
      }
    }
    case 'A9':
      return () => ({ country: home, recipient: numberIn(random, home) })
  }
}
