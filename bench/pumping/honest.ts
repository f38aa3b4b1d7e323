/** Honest traffic: a daily curve, most people at home, most of them returning, some who ask twice. */
import { type Country, launched, numberIn, served } from './countries.ts'
import type { Random } from './random.ts'
import { daySeconds, flaggedIp, freshIp, hourSeconds, natIp, type Send } from './traffic.ts'

const returningShare = 0.55
const retryShare = 0.12
const sharedShare = 0.05
const vpnShare = 0.04
const medianApprovalSeconds = 22
/** ln(76 / 22) / 1.645: the 95th percentile at 76 s. */
const approvalSpread = 0.754

export interface Outage {
  readonly country: string
  readonly carriers: readonly string[]
  readonly from: number
  readonly to: number
}

export interface HonestOptions {
  readonly perDay: number
  readonly days: number
  /** During an outage the codes of these carriers do not arrive. */
  readonly outage?: Outage
  /** The share of people who type the code, if it should differ from what the countries say. */
  readonly conversion?: number | null
}

/** About the mean over the served countries. */
const usualConversion = 0.75
const mostConversion = 0.95

function scaled(country: Country, conversion: number | null): Country {
  if (conversion === null) return country
  return {
    ...country,
    conversion: Math.min(mostConversion, (country.conversion * conversion) / usualConversion),
  }
}

/** The rate at a time of day relative to the mean: from a third to five thirds, lowest at four in the morning. */
const curve = (t: number) => 1 - 0.66 * Math.cos(((t / daySeconds - 4 / 24) % 1) * 2 * Math.PI)

function chooseCountry(random: Random): Country {
  let draw = random.next()
  for (const country of served) {
    draw -= country.share
    if (draw < 0) return country
  }
  return random.pick(served)
}

function addressFor(random: Random): Pick<Send, 'clientIp' | 'isFlagged'> {
  const draw = random.next()
  if (draw < sharedShare) return { clientIp: natIp(random.below(40)), isFlagged: false }
  if (draw < sharedShare + vpnShare) return { clientIp: flaggedIp(random.below(200)), isFlagged: true }
  return { clientIp: freshIp(random), isFlagged: false }
}

const approvalDelay = (random: Random) => medianApprovalSeconds * Math.exp(approvalSpread * random.normal())

interface Known {
  readonly recipient: string
  readonly country: Country
}

export function honestTraffic(
  random: Random,
  { perDay, days, outage, conversion = null }: HonestOptions,
): Send[] {
  const sends: Send[] = []
  const known: Known[] = []
  // The rate counts sends, and a retry is a send too.
  const mean = daySeconds / (perDay / (1 + retryShare))
  const peak = 1.66
  for (let t = random.exponential(mean / peak); t < days * daySeconds; t += random.exponential(mean / peak)) {
    if (random.next() > curve(t) / peak) continue
    const back = known.length > 0 && random.next() < returningShare ? random.pick(known) : null
    const country = back?.country ?? scaled(chooseCountry(random), conversion)
    const recipient = back?.recipient ?? numberIn(random, country)
    const visit = visitOf(random, { t, recipient, country, label: 'honest' }, outage)
    sends.push(...visit)
    if (!back && visit.some((send) => send.approvesAfter !== null)) known.push({ recipient, country })
  }
  return sends
}

/** The sends of one person who asks once, or twice. */
export function visitOf(
  random: Random,
  { t, recipient, country, label }: Pick<Send, 't' | 'recipient' | 'country' | 'label'>,
  outage?: Outage,
  address = addressFor(random),
): Send[] {
  const isOut =
    outage !== undefined &&
    country.region === outage.country &&
    outage.carriers.some((carrier) => recipient.startsWith(`+${country.callingCode}${carrier}`)) &&
    t >= outage.from &&
    t < outage.to
  const converts = random.next() < country.conversion && !isOut
  const retries = random.next() < retryShare
  const first = { t, recipient, ...address, label: isOut ? 'outage' : label, country, approvesAfter: null }
  const delay = converts ? approvalDelay(random) : null
  if (!retries) return [{ ...first, approvesAfter: delay }]
  return [first, { ...first, t: t + 30 + random.next() * 60, approvesAfter: delay }]
}

/** A launch in a country where the app had nobody: 60 % more volume within six hours. */
export function launchTraffic(
  random: Random,
  perDay: number,
  from: number,
  conversion = launched.conversion,
): Send[] {
  const visits = Math.round((0.6 * perDay) / 4 / (1 + retryShare))
  return Array.from({ length: visits }, () =>
    visitOf(random, {
      t: from + random.next() * 6 * hourSeconds,
      recipient: numberIn(random, launched),
      country: { ...launched, conversion },
      label: 'launch',
    }),
  ).flat()
}

interface Crowd {
  readonly from: number
  readonly visits: number
  readonly seconds: number
  /** How many times as long as usual people take to type the code. */
  readonly slowness?: number
  readonly outage?: Outage
}

/** Many new people at home in a short time. */
export function crowdTraffic(random: Random, { from, visits, seconds, slowness = 1, outage }: Crowd): Send[] {
  const [home] = served
  if (!home) return []
  const sends = Array.from({ length: visits }, () =>
    visitOf(
      random,
      {
        t: from + random.next() * seconds,
        recipient: numberIn(random, home),
        country: home,
        label: 'campaign',
      },
      outage,
    ),
  ).flat()
  return sends.map((send) => ({
    ...send,
    label: 'campaign',
    approvesAfter: send.approvesAfter === null ? null : send.approvesAfter * slowness,
  }))
}

interface Event {
  readonly from: number
  readonly perDay: number
  /** The usual traffic. */
  readonly people: readonly Send[]
}

const verifiedBefore = ({ people, from }: Event) =>
  people.filter(({ t, approvesAfter }) => t < from && approvesAfter !== null)

/** Fifty times the usual people for twenty minutes, new and known; half of them give up before the code arrives. */
export function saleTraffic(random: Random, event: Event): Send[] {
  const known = verifiedBefore(event)
  const visits = Math.round((50 * event.perDay) / 72 / (1 + retryShare))
  return Array.from({ length: visits }, () => {
    const back = random.next() < returningShare ? random.pick(known) : null
    const usual = back?.country ?? chooseCountry(random)
    const country = { ...usual, conversion: usual.conversion / 2 }
    const recipient = back?.recipient ?? numberIn(random, country)
    const t = event.from + (random.next() * hourSeconds) / 3
    return visitOf(random, { t, recipient, country, label: 'sale' })
  }).flat()
}

/** Known people come back at once: ten times the usual number of them for an hour. */
export function newsletterTraffic(random: Random, event: Event): Send[] {
  const known = verifiedBefore(event)
  const { from, perDay } = event
  const visits = Math.round((10 * returningShare * perDay) / 24)
  return Array.from({ length: Math.min(visits, known.length) }, () => {
    const { recipient, country } = random.pick(known)
    const t = from + random.next() * hourSeconds
    return visitOf(random, { t, recipient, country, label: 'newsletter' })
  }).flat()
}

const migratingPeople = 50_000

/** All people of another service within half a day, in the countries of the app. */
export function migrationTraffic(random: Random, from: number): Send[] {
  return Array.from({ length: migratingPeople }, () => {
    const country = chooseCountry(random)
    return visitOf(random, {
      t: from + random.next() * 12 * hourSeconds,
      recipient: numberIn(random, country),
      country,
      label: 'migration',
    })
  }).flat()
}

/** Eighty people in one building, within an hour and a half. */
export function officeTraffic(random: Random, from: number): Send[] {
  const [home] = served
  if (!home) return []
  return Array.from({ length: 80 }, () =>
    visitOf(
      random,
      {
        t: from + random.next() * 1.5 * hourSeconds,
        recipient: numberIn(random, home),
        country: home,
        label: 'office',
      },
      undefined,
      { clientIp: '81.2.69.142', isFlagged: false },
    ),
  ).flat()
}

/** Three hundred people in one hall within three minutes. Those who are told to wait try again after that time. */
export function hallTraffic(random: Random, from: number): Send[] {
  const [home] = served
  if (!home) return []
  const sends = Array.from({ length: 300 }, () =>
    visitOf(
      random,
      { t: from + random.next() * 180, recipient: numberIn(random, home), country: home, label: 'hall' },
      undefined,
      { clientIp: '81.2.69.142', isFlagged: false },
    ),
  ).flat()
  return [...sends, ...sends.map((send) => ({ ...send, t: send.t + 150 }))]
}

/** A quarter of a day's people within two hours, in all countries. A fifth of them type the code. */
export function weakCampaignTraffic(random: Random, perDay: number, from: number): Send[] {
  return Array.from({ length: Math.round(perDay / 4) }, () => {
    const country = { ...chooseCountry(random), conversion: 0.2 }
    const t = from + random.next() * 2 * hourSeconds
    return visitOf(random, { t, recipient: numberIn(random, country), country, label: 'campaign' })
  }).flat()
}
