/** Ways to pump: thirty sends a minute for four hours, except where stated. */
import { mainCarrierOf } from '../../server/src/domain/guard/numbering/carriers.ts'
import { attacked, type Country, digits, elsewhere, numberIn, served, smallCarriers } from './countries.ts'
import type { Random } from './random.ts'
import { flaggedIp, freshIp, hourSeconds, type Send } from './traffic.ts'

export const attackNames = [
  'A1',
  'A2',
  'A3',
  'A4',
  'A5',
  'A6',
  'A7',
  'A8',
  'A9',
  'A10',
  'A11',
  'A12',
  'A13',
  'A14',
  'A15',
  'A16',
  'A17',
  'A18',
  'A19',
  'A20',
  'A21',
  'A22',
] as const
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
  A10: '200 1k ranges of five carriers at home',
  A11: 'as A8, 4 of the 12 countries being home',
  A12: '500 verified numbers abroad, every third code typed',
  A13: '500 verified numbers at home, every third code typed',
  A14: '20 numbers at home again and again, 6 a minute',
  A15: 'one a minute at one carrier at home, for 21 h',
  A16: 'one a minute anywhere at home, for 21 h',
  A17: 'ten new apps of a company, 14 sends each',
  A18: 'all ranges of one small carrier at home',
  A19: '200 1k ranges of all prefixes of one large carrier at home',
  A20: 'as A7, every fourth code typed',
  A21: 'a hundred foreign countries, one each 100 s for 21 h',
  A22: 'five codes to each number, 12 countries, one a minute for 21 h',
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

const slow: ReadonlySet<AttackName> = new Set(['A4', 'A15', 'A16', 'A21', 'A22'])
const perMinutes: Partial<Record<AttackName, number>> = { A4: 3.3, A14: 6, A21: 0.6 }
const perMinuteOf = (name: AttackName) => perMinutes[name] ?? (slow.has(name) ? 1 : 30)
export const isLong = (name: AttackName) => slow.has(name)
export const attackSeconds = (name: AttackName) => (slow.has(name) ? 21 : 4) * hourSeconds

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

export function attackTraffic(
  random: Random,
  name: AttackName,
  from: number,
  verified: readonly Send[] = [],
): Send[] {
  if (name === 'A17') return newAppsTraffic(random, from)
  const pace = { from, perMinute: perMinuteOf(name), seconds: attackSeconds(name) }
  const next = createTarget(random, name, verified)
  return times(random, pace).map((t, index) => {
    const { country, recipient } = next(index)
    return {
      t,
      recipient,
      country,
      clientIp: name === 'A1' ? flaggedIp(4_000) : freshIp(random),
      isFlagged: name === 'A1',
      approvesAfter: isTyped(name, index, random) ? 4 + random.next() * 26 : null,
      label: 'attack',
    }
  })
}

function isTyped(name: AttackName, index: number, random: Random): boolean {
  if (name === 'A6') return random.next() < 0.4
  if (name === 'A20') return random.next() < 0.25
  return (name === 'A12' || name === 'A13') && index % 3 === 2
}

const verifiedNumbers = 500

/** The numbers of A12 and A13, as the attacker has them verified on the day before: one every two minutes. */
export function verifyTraffic(random: Random, name: AttackName, from: number): Send[] {
  const next = createVerified(random, name)
  return Array.from({ length: verifiedNumbers }, (_, index) => ({
    t: from + index * 120,
    ...next(),
    clientIp: freshIp(random),
    isFlagged: false,
    approvesAfter: 4 + random.next() * 26,
    label: 'preparation',
  }))
}

function createVerified(random: Random, name: AttackName) {
  const [home] = served
  if (!home) throw new Error('no home')
  const country = name === 'A12' ? random.pick(attacked) : home
  const carrier = name === 'A12' ? random.pick(country.carriers) : undefined
  return () => ({ country, recipient: numberIn(random, country, carrier) })
}

/** Ten new apps of one company, each with fourteen numbers of one foreign country. */
function newAppsTraffic(random: Random, from: number): Send[] {
  const country = random.pick(attacked)
  return Array.from({ length: 140 }, (_, index) => ({
    t: from + index * 20,
    recipient: numberIn(random, country),
    country,
    clientIp: freshIp(random),
    isFlagged: false,
    approvesAfter: null,
    label: 'attack',
    app: `new ${Math.floor(index / 14)}`,
  }))
}

/** The prefixes of a carrier that has at least three of the country's. */
function prefixesOfOneCarrier(random: Random, { callingCode, carriers }: Country): readonly string[] {
  const byName = new Map<string, string[]>()
  for (const prefix of carriers) {
    const name = mainCarrierOf(`${callingCode}${prefix}`)
    if (name !== null) byName.set(name, [...(byName.get(name) ?? []), prefix])
  }
  return random.pick([...byName.values()].filter(({ length }) => length >= 3))
}

type Target = (index: number) => { country: Country; recipient: string }

function createTarget(random: Random, name: AttackName, verified: readonly Send[]): Target {
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
    case 'A20':
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
    case 'A16':
      return () => ({ country: home, recipient: numberIn(random, home) })
    case 'A10': {
      const carriers = Array.from({ length: 5 }, () => random.pick(home.carriers))
      const prefixes = Array.from({ length: 200 }, (_, index) =>
        prefixIn(random, home, 3, at(carriers, index)),
      )
      return () => ({ country: home, recipient: `${random.pick(prefixes)}${digits(random, 3)}` })
    }
    case 'A11': {
      const countries = [...attacked.slice(0, 8), ...served.slice(0, 4)]
      let range = { country: foreign, prefix: '' }
      return (index) => {
        if (index % 6 === 0) {
          const country = random.pick(countries)
          range = { country, prefix: prefixIn(random, country, 4) }
        }
        return { country: range.country, recipient: `${range.prefix}${digits(random, 4)}` }
      }
    }
    case 'A12':
    case 'A13':
      return () => random.pick(verified)
    case 'A14': {
      const numbers = Array.from({ length: 20 }, () => numberIn(random, home))
      return () => ({ country: home, recipient: random.pick(numbers) })
    }
    case 'A15': {
      const carrier = random.pick(home.carriers)
      return () => ({ country: home, recipient: numberIn(random, home, carrier) })
    }
    case 'A19': {
      const prefixes = prefixesOfOneCarrier(random, home)
      const ranges = Array.from({ length: 200 }, () => prefixIn(random, home, 3, random.pick(prefixes)))
      return () => ({ country: home, recipient: `${random.pick(ranges)}${digits(random, 3)}` })
    }
    case 'A18': {
      const ranges = random.pick(smallCarriers)
      return () => ({ country: home, recipient: numberIn(random, home, random.pick(ranges)) })
    }
    case 'A21':
      return () => {
        const country = random.pick(elsewhere)
        return { country, recipient: numberIn(random, country) }
      }
    case 'A22': {
      let target = { country: foreign, recipient: '' }
      return (index) => {
        const country = random.pick(attacked)
        if (index % 5 === 0) target = { country, recipient: numberIn(random, country) }
        return target
      }
    }
    case 'A17':
      throw new Error('its sends are made elsewhere')
  }
}
