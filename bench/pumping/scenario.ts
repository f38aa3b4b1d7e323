/** Some quiet days, so that the app has a history, and then a day on which something happens. */
import {
  type AttackName,
  attackNames,
  attackSeconds,
  attackTraffic,
  isLong,
  verifyTraffic,
} from './attacks.ts'
import { attacked, launched, numberIn } from './countries.ts'
import {
  crowdTraffic,
  type HonestOptions,
  hallTraffic,
  honestTraffic,
  launchTraffic,
  migrationTraffic,
  newsletterTraffic,
  officeTraffic,
  saleTraffic,
  weakCampaignTraffic,
} from './honest.ts'
import { createRandom, type Random } from './random.ts'
import { tinyTraffic } from './tiny.ts'
import { daySeconds, freshIp, hourSeconds, inOrder, type Send } from './traffic.ts'

/** Percentages of people who type the code. */
const conversions = [20, 26, 37, 45, 60, 80] as const
type ConversionName = `clean at ${(typeof conversions)[number]} %` | 'new app at 26 %' | 'new app at 75 %'

export type NegativeName =
  | 'clean'
  | ConversionName
  | 'launch'
  | 'office'
  | 'hall'
  | 'migration'
  | 'tiny apps'
  | 'newsletter'
  | 'sale'
  | 'campaign'
  | 'weak campaign'
  | 'spotlight'
  | 'slow codes'
  | 'poor launch'
  | 'outage'
  | 'campaign and outage'
  | 'launch and A3'
  | 'declared launch and A3'
  | 'launch and attacks'
  | 'declared launch and attacks'
  | 'attacked launch'

export type ScenarioName = AttackName | NegativeName

export interface Scenario {
  readonly sends: readonly Send[]
  /** When the day that is counted begins. */
  readonly midnight: number
  /** Until then there is only the usual traffic, which depends on size and seed alone. */
  readonly quietUntil: number
  /** From the start of the event until an hour after its end. */
  readonly from: number
  readonly to: number
}

interface Setting {
  readonly random: Random
  readonly perDay: number
  readonly from: number
  /** The usual traffic. */
  readonly people: readonly Send[]
}

interface Negative {
  readonly words: string
  /** How long the event lasts. Without it the whole day is counted. */
  readonly hours?: number
  readonly extra?: (setting: Setting) => Send[]
  readonly honest?: Pick<HonestOptions, 'conversion' | 'outage'>
  /** The app has no history: it is counted from the first send on. */
  readonly isNew?: boolean
}

const outCarriers = { country: 'GB', carriers: ['740', '741', '742', '743'] }
const outageAt = (from: number) => ({ ...outCarriers, from, to: from + 2 * hourSeconds })

const cleanAt = (percent: number, isNew = false): Negative => ({
  words: isNew
    ? `the first two days of an app of which ${percent} % type the code`
    : `a day without an attack, ${percent} % type the code`,
  honest: { conversion: percent / 100 },
  isNew,
})

/** A tenth of a day's people within a quarter of an hour. */
const campaign = ({ random, perDay, from }: Setting, outage = false) =>
  crowdTraffic(random, {
    from,
    visits: Math.round(perDay / 10),
    seconds: hourSeconds / 4,
    ...(outage ? { outage: outageAt(from) } : {}),
  })

const spotlightMinutes = 10
/** Thirty times the usual number of people, who take three times as long to type the code. */
const spotlight = ({ random, perDay, from }: Setting) =>
  crowdTraffic(random, {
    from,
    visits: Math.round(((30 * perDay) / 1440) * spotlightMinutes),
    seconds: spotlightMinutes * 60,
    slowness: 3,
  })

/** Attacks on four foreign countries, starting an hour before a launch. */
function attacksOnOthers(random: Random, from: number): Send[] {
  const first = random.below(attacked.length)
  const countries = [0, 1, 2, 3].map(
    (index) => attacked[(first + index) % attacked.length] ?? random.pick(attacked),
  )
  const sends: Send[] = []
  for (let t = from; t < from + 7 * hourSeconds; t += random.exponential(2)) {
    const country = random.pick(countries)
    sends.push({
      t,
      recipient: numberIn(random, country),
      country,
      clientIp: freshIp(random),
      isFlagged: false,
      approvesAfter: null,
      label: 'attack',
    })
  }
  return sends
}

const launchBeside = ({ random, perDay, from }: Setting): Send[] => [
  ...launchTraffic(random, perDay, from + hourSeconds),
  ...attacksOnOthers(random, from),
]
const launchAndA3 = ({ random, perDay, from }: Setting): Send[] => [
  ...launchTraffic(random, perDay, from),
  ...attackTraffic(random, 'A3', from + hourSeconds),
]

const launchUnderAttack = ({ random, perDay, from }: Setting): Send[] => [
  ...launchTraffic(random, perDay, from),
  ...attackTraffic(random, 'A7', from + hourSeconds).map((send) => ({
    ...send,
    country: launched,
    recipient: numberIn(random, launched),
  })),
]

export const negatives: Readonly<Record<NegativeName, Negative>> = {
  clean: { words: 'a day without an attack' },
  'clean at 20 %': cleanAt(20),
  'clean at 26 %': cleanAt(26),
  'clean at 37 %': cleanAt(37),
  'clean at 45 %': cleanAt(45),
  'clean at 60 %': cleanAt(60),
  'clean at 80 %': cleanAt(80),
  'new app at 26 %': cleanAt(26, true),
  'new app at 75 %': cleanAt(75, true),
  launch: {
    words: 'a launch in a new country, not declared',
    hours: 6,
    extra: ({ random, perDay, from }) => launchTraffic(random, perDay, from),
  },
  'poor launch': {
    words: 'the same, where only 52 % convert',
    hours: 6,
    extra: ({ random, perDay, from }) => launchTraffic(random, perDay, from, 0.52),
  },
  office: {
    words: 'an office of 80 on one address',
    hours: 2,
    extra: ({ random, from }) => officeTraffic(random, from),
  },
  hall: {
    words: 'a hall of 300 on one address within 3 minutes, who is held asks again',
    hours: 1,
    extra: ({ random, from }) => hallTraffic(random, from),
  },
  migration: {
    words: '50,000 people of another service within a day',
    hours: 12,
    extra: ({ random, from }) => migrationTraffic(random, from),
  },
  'tiny apps': {
    words: 'ten apps of a dozen people a day at work, their first two weeks',
    isNew: true,
  },
  newsletter: {
    words: 'ten times the people who were here before, for an hour',
    hours: 1,
    extra: ({ random, ...setting }) => newsletterTraffic(random, setting),
  },
  sale: {
    words: '50 times the people for 20 minutes, new and known, of whom half give up',
    hours: 1,
    extra: ({ random, ...setting }) => saleTraffic(random, setting),
  },
  campaign: {
    words: 'a tenth of the day within 15 minutes',
    hours: 1,
    extra: (setting) => campaign(setting),
  },
  'weak campaign': {
    words: 'a quarter of the day within 2 h, of whom 20 % type the code',
    hours: 2,
    extra: ({ random, perDay, from }) => weakCampaignTraffic(random, perDay, from),
  },
  spotlight: {
    words: '30 times the people for 10 minutes, codes 3 times slower',
    hours: 1,
    extra: spotlight,
  },
  'slow codes': { words: 'every code a minute late for 2 h', hours: 2 },
  outage: { words: 'a carrier without delivery for 2 h', hours: 2 },
  'campaign and outage': {
    words: 'a campaign while a carrier does not deliver',
    hours: 2,
    extra: (setting) => campaign(setting, true),
  },
  'launch and A3': { words: 'A3 beside the launch', hours: 6, extra: launchAndA3 },
  'declared launch and A3': { words: 'the country declared', hours: 6, extra: launchAndA3 },
  'launch and attacks': { words: 'attacks on four other countries beside it', hours: 7, extra: launchBeside },
  'declared launch and attacks': { words: 'the country declared', hours: 7, extra: launchBeside },
  'attacked launch': {
    words: 'A7 in the country of the launch, an hour after it began',
    hours: 6,
    extra: launchUnderAttack,
  },
}

export const negativeNames = Object.keys(negatives).filter((name): name is NegativeName => name in negatives)
export const isAttack = (name: ScenarioName): name is AttackName =>
  attackNames.some((known) => known === name)

/** The delay of a slow carrier. */
const slowSeconds = 60

/** A small app needs more days for a history. */
const quietDaysOf = (perDay: number) => (perDay < 1_000 ? 14 : perDay < 10_000 ? 4 : 2)
const newAppDays = 2

export function makeScenario(name: ScenarioName, perDay: number, seed: number): Scenario {
  const random = createRandom(seed * 7_919 + 17)
  const negative: Negative = isAttack(name) ? { words: '' } : negatives[name]
  const quietDays = negative.isNew ? newAppDays - 1 : quietDaysOf(perDay)
  const midnight = negative.isNew ? 0 : quietDays * daySeconds
  const from = midnight + (isAttack(name) && isLong(name) ? 1 : 10) * hourSeconds
  const isOut = name === 'outage' || name === 'campaign and outage'
  const outage = isOut ? { outage: outageAt(from) } : {}
  const people = honestTraffic(random, { perDay, days: quietDays + 1, ...negative.honest, ...outage })
  const honest = name === 'slow codes' ? slowed(people, from) : people
  if (name === 'tiny apps') return tinyScenario(random)
  if (!isAttack(name)) {
    const sends = inOrder([...honest, ...(negative.extra?.({ random, perDay, from, people }) ?? [])])
    const day = { sends, midnight, quietUntil: midnight }
    if (negative.hours === undefined) return { ...day, from: midnight, to: midnight + daySeconds }
    return { ...day, from, to: from + (negative.hours + 1) * hourSeconds }
  }
  const verified = name === 'A12' || name === 'A13' ? verifyTraffic(random, name, midnight - daySeconds) : []
  const attack = attackTraffic(random, name, from, verified)
  const others = name === 'A17' ? [] : honest
  return {
    sends: inOrder([...others, ...verified, ...attack]),
    midnight,
    quietUntil: verified[0]?.t ?? midnight,
    from,
    to: from + attackSeconds(name) + hourSeconds,
  }
}

const tinyDays = 14

/** Counted from the first day on, without any other traffic. */
function tinyScenario(random: Random): Scenario {
  const sends = inOrder(tinyTraffic(random, tinyDays))
  return { sends, midnight: 0, quietUntil: 0, from: 0, to: tinyDays * daySeconds }
}

function slowed(sends: readonly Send[], from: number): Send[] {
  const isSlow = (t: number) => t >= from && t < from + 2 * hourSeconds
  return sends.map((send) =>
    isSlow(send.t) && send.approvesAfter !== null
      ? { ...send, approvesAfter: send.approvesAfter + slowSeconds, label: 'slow' }
      : send,
  )
}
