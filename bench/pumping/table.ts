/** The benchmark's table, measured on seeds that nothing was tuned on. */
import { attackNames, attackWords } from './attacks.ts'
import { type GuardName, guards, type Measured, measure } from './measure.ts'
import type { ScenarioName } from './scenario.ts'

export interface Row {
  readonly name: ScenarioName
  readonly words: string
  readonly perDay: number
  readonly results: ReadonlyMap<GuardName, Measured>
}

const negatives: readonly [ScenarioName, string][] = [
  ['clean', 'a day without an attack'],
  ['launch', 'a launch in a new country, not declared'],
  ['office', 'an office of 80 on one address'],
  ['outage', 'a carrier without delivery for 2 h'],
  ['launch and A3', 'A3 beside the launch'],
  ['declared launch and A3', 'the country declared'],
]

/** Tuned on others, all below 200. */
const seedsFor = (perDay: number) =>
  perDay < 1_000 ? [201, 202, 203, 204, 205, 206, 207, 208] : perDay < 10_000 ? [201, 202, 203] : [201]

/** Baselines are shown for the middle volume. */
export const volumes = [6_000, 400, 40_000] as const
const guardNames = Object.keys(guards) as GuardName[]

export function makeRow(name: ScenarioName, perDay: number): Row {
  const words =
    negatives.find(([scenario]) => scenario === name)?.[1] ?? attackWords[name as keyof typeof attackWords]
  const shown: readonly GuardName[] = perDay === volumes[0] ? guardNames : ['conversion debt']
  return { name, words, perDay, results: measure(name, perDay, seedsFor(perDay), shown) }
}

export const scenarioNames: readonly ScenarioName[] = [...attackNames, ...negatives.map(([name]) => name)]

export const percent = (part: number, whole: number, decimals = 2) =>
  whole === 0 ? '' : ((100 * part) / whole).toFixed(decimals)

const mean = (list: readonly number[]) =>
  list.length === 0 ? '' : (list.reduce((sum, value) => sum + value, 0) / list.length).toFixed(0)

const header = ['', 'stopped %', 'sent', 'first stop s', 'held back %', 'no code %', 'of these people %']

export function textOf(rows: readonly Row[], guard: GuardName): string {
  const lines = rows.flatMap(({ name, words, results }) => {
    const result = results.get(guard)
    if (!result) return []
    return [
      [
        `${name}: ${words}`,
        percent(result.attackStopped, result.attackSends),
        result.attackSends ? String(result.attackSends - result.attackStopped) : '',
        mean(result.firstStops),
        percent(result.heldBack, result.people),
        percent(result.withoutCode, result.people),
        result.special ? percent(result.specialHeldBack, result.special) : '',
      ],
    ]
  })
  return [header, ...lines]
    .map((cells) => cells.map((cell, index) => (index === 0 ? cell.padEnd(66) : cell.padStart(14))).join(''))
    .join('\n')
}
