/** Some quiet days, so that the app has a history, then a day on which something happens. */
import { type AttackName, attackSeconds, attackTraffic } from './attacks.ts'
import { campaignTraffic, honestTraffic, launchTraffic, type Outage, officeTraffic } from './honest.ts'
import { createRandom } from './random.ts'
import { daySeconds, hourSeconds, inOrder, type Send } from './traffic.ts'

export type ScenarioName =
  | AttackName
  | 'clean'
  | 'launch'
  | 'office'
  | 'campaign'
  | 'slow codes'
  | 'poor launch'
  | 'outage'
  | 'launch and A3'
  | 'declared launch and A3'

export interface Scenario {
  readonly sends: readonly Send[]
  /** The day that is counted. */
  readonly midnight: number
  /** While it happens, and an hour after. */
  readonly from: number
  readonly to: number
}

/** A carrier that takes its time. */
const slowSeconds = 60

/** A small app has had more time; a large one needs less. */
const quietDaysOf = (perDay: number) => (perDay < 1_000 ? 14 : perDay < 10_000 ? 4 : 2)

export function makeScenario(name: ScenarioName, perDay: number, seed: number): Scenario {
  const random = createRandom(seed * 7_919 + 17)
  const quietDays = quietDaysOf(perDay)
  const midnight = quietDays * daySeconds
  const from = midnight + (name === 'A4' ? 1 : 10) * hourSeconds
  const outage: Outage | undefined =
    name === 'outage'
      ? { country: 'GB', carriers: ['740', '741', '742', '743'], from, to: from + 2 * hourSeconds }
      : undefined
  const people = honestTraffic(random, { perDay, days: quietDays + 1, ...(outage ? { outage } : {}) })
  const isSlow = (t: number) => name === 'slow codes' && t >= from && t < from + 2 * hourSeconds
  const honest = people.map((send) =>
    isSlow(send.t) && send.approvesAfter !== null
      ? { ...send, approvesAfter: send.approvesAfter + slowSeconds, label: 'slow' }
      : send,
  )
  const extra = extraTraffic()
  const seconds = {
    clean: 0,
    launch: 6,
    office: 2,
    campaign: 1,
    'slow codes': 2,
    'poor launch': 6,
    outage: 2,
    'launch and A3': 6,
    'declared launch and A3': 6,
  }
  if (name === 'clean') return { sends: inOrder(honest), midnight, from: midnight, to: midnight + daySeconds }
  const lasts =
    name in seconds ? seconds[name as keyof typeof seconds] * hourSeconds : attackSeconds(name as AttackName)
  return { sends: inOrder([...honest, ...extra]), midnight, from, to: from + lasts + hourSeconds }

  function extraTraffic(): Send[] {
    switch (name) {
      case 'clean':
      case 'outage':
        return []
      case 'launch':
        return launchTraffic(random, perDay, from)
      case 'campaign':
        return campaignTraffic(random, perDay, from)
      case 'slow codes':
        return []
      case 'poor launch':
        return launchTraffic(random, perDay, from, 0.52)
      case 'office':
        return officeTraffic(random, from)
      case 'launch and A3':
      case 'declared launch and A3':
        return [...launchTraffic(random, perDay, from), ...attackTraffic(random, 'A3', from + hourSeconds)]
      default:
        return attackTraffic(random, name, from)
    }
  }
}
