/** The result of one day: how much of an attack was stopped, and how many people got no code. */
import { createConversionRule, createFixedLimits } from './baselines.ts'
import { launched } from './countries.ts'
import { createEngine, type Decider } from './engine.ts'
import { playAfterHistory } from './history.ts'
import { type Played, play } from './replay.ts'
import { makeScenario, type Scenario, type ScenarioName } from './scenario.ts'

export const guards = {
  'fixed limits': createFixedLimits,
  'conversion ≤ 35 %': createConversionRule,
  'conversion debt': createEngine,
} as const satisfies Record<string, (declaredCountries?: readonly string[]) => Decider>
export type GuardName = keyof typeof guards

/** The share of people who can use a WhatsApp link when a text message is held back. */
const shareWithLink = 0.85

export interface Measured {
  attackSends: number
  attackStopped: number
  firstStops: number[]
  people: number
  heldBack: number
  withoutCode: number
  /** Only the people of the hard case itself: of the launch, in the office, on the carrier with an outage. */
  special: number
  specialHeldBack: number
}

const nothingMeasured = (): Measured => ({
  attackSends: 0,
  attackStopped: 0,
  firstStops: [],
  people: 0,
  heldBack: 0,
  withoutCode: 0,
  special: 0,
  specialHeldBack: 0,
})

export function measure(
  name: ScenarioName,
  perDay: number,
  seeds: readonly number[],
  guardNames: readonly GuardName[],
): Map<GuardName, Measured> {
  const declared = name.startsWith('declared') ? [launched.region] : []
  const results = new Map(guardNames.map((guard) => [guard, nothingMeasured()]))
  for (const seed of seeds) {
    const scenario = makeScenario(name, perDay, seed)
    for (const [guard, total] of results) {
      const played =
        guard === 'conversion debt'
          ? playAfterHistory(scenario, declared)
          : play(scenario.sends, guards[guard]())
      count(total, scenario, played)
    }
  }
  return results
}

function count(total: Measured, { midnight, from }: Scenario, played: readonly Played[]): void {
  const people = new Map<string, { isServed: boolean; isSpecial: boolean }>()
  let firstStop: number | null = null
  for (const { send, stoppedBy } of played) {
    if (send.t < midnight || send.label === 'preparation') continue
    if (send.label === 'attack') {
      total.attackSends++
      if (stoppedBy === null) continue
      total.attackStopped++
      firstStop ??= send.t - from
      continue
    }
    const person = people.get(send.recipient) ?? { isServed: false, isSpecial: send.label !== 'honest' }
    if (stoppedBy === null) person.isServed = true
    people.set(send.recipient, person)
  }
  if (firstStop !== null) total.firstStops.push(firstStop)
  for (const [recipient, { isServed, isSpecial }] of people) {
    total.people++
    if (isSpecial) total.special++
    if (isServed) continue
    total.heldBack++
    if (isSpecial) total.specialHeldBack++
    if (shareOf(recipient) >= shareWithLink) total.withoutCode++
  }
}

/** A number from 0 to 1 by the recipient, so that the same people have WhatsApp in every run. */
function shareOf(recipient: string): number {
  let hash = 2_166_136_261
  for (const digit of recipient) hash = Math.imul(hash ^ digit.charCodeAt(0), 16_777_619) >>> 0
  return ((hash ^ (hash >>> 13)) % 10_000) / 10_000
}
