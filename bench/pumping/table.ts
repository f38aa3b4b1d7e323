/** The benchmark's table, measured on seeds that nothing was tuned on, with the baselines beside. */
import { type AttackName, attackNames, attackWords } from './attacks.ts'
import { type GuardName, guards, type Measured, measure } from './measure.ts'
import type { ScenarioName } from './scenario.ts'

export interface Row {
  readonly name: ScenarioName
  readonly words: string
  /** By sends a day. */
  readonly results: ReadonlyMap<number, ReadonlyMap<GuardName, Measured>>
}

const negatives: readonly [ScenarioName, string][] = [
  ['clean', 'a day without an attack'],
  ['launch', 'a launch in a new country, not declared'],
  ['poor launch', 'the same, where only 52 % convert'],
  ['office', 'an office of 80 on one address'],
  ['campaign', 'a tenth of the day within 15 minutes'],
  ['slow codes', 'every code a minute late for 2 h'],
  ['outage', 'a carrier without delivery for 2 h'],
  ['launch and A3', 'A3 beside the launch'],
  ['declared launch and A3', 'the country declared'],
]

/** Tuned on others, all below 200. */
const seedsFor = (perDay: number) =>
  perDay < 1_000 ? [201, 202, 203, 204, 205, 206, 207, 208] : perDay < 10_000 ? [201, 202, 203] : [201, 202]

/** Baselines are shown for the first. */
export const volumes = [6_000, 400, 40_000] as const
const guardNames = Object.keys(guards) as GuardName[]
const ours: GuardName = 'conversion debt'

export const scenarioNames: readonly ScenarioName[] = [...attackNames, ...negatives.map(([name]) => name)]

const isAttack = (name: ScenarioName): name is AttackName => name in attackWords

export function makeRow(name: ScenarioName, perDays: readonly number[]): Row {
  const words = isAttack(name) ? attackWords[name] : negatives.find(([negative]) => negative === name)?.[1]
  const results = perDays.map((perDay) => {
    const shown = perDay === volumes[0] ? guardNames : [ours]
    return [perDay, measure(name, perDay, seedsFor(perDay), shown)] as const
  })
  return { name, words: words ?? '', results: new Map(results) }
}

/** What is asked of the guard, in percent; nothing of A9, which only a link answers. */
const targets: Readonly<Record<AttackName, string>> = {
  A1: '99.7',
  A2: '99.7',
  A3: '99.3',
  A4: '97.5',
  A5: '99.3',
  A6: '90',
  A7: '99.3',
  A8: '95',
  A9: '',
}

export const percent = (part: number, whole: number) => (whole === 0 ? '' : ((100 * part) / whole).toFixed(2))

const stoppedOf = ({ attackStopped, attackSends }: Measured) => percent(attackStopped, attackSends)

/** The mean, and the longest of all seeds. */
function firstStopOf({ firstStops }: Measured): string {
  if (firstStops.length === 0) return 'never'
  const mean = firstStops.reduce((sum, seconds) => sum + seconds, 0) / firstStops.length
  return `${mean.toFixed(0)} (${Math.max(...firstStops).toFixed(0)})`
}

const heldBackOf = ({ heldBack, withoutCode, people }: Measured) =>
  `${percent(heldBack, people)} (${percent(withoutCode, people)})`

/** Guard and volume of each column. */
function columnsOf(perDays: readonly number[]): { title: string; guard: GuardName; perDay: number }[] {
  return perDays.flatMap((perDay) =>
    (perDay === volumes[0] ? guardNames : [ours]).map((guard) => ({
      title: guard === ours ? `at ${perDay.toLocaleString('en')}` : guard,
      guard,
      perDay,
    })),
  )
}

type Cell = (measured: Measured) => string

function cellsOf(row: Row, perDays: readonly number[], cell: Cell, isOurs = false): string[] {
  const columns = columnsOf(perDays).filter(({ guard }) => !isOurs || guard === ours)
  return columns.map(({ guard, perDay }) => {
    const measured = row.results.get(perDay)?.get(guard)
    return measured ? cell(measured) : ''
  })
}

export function textOf(rows: readonly Row[], perDays: readonly number[]): string {
  const titles = columnsOf(perDays).map(({ title }) => title)
  const ourTitles = columnsOf(perDays).flatMap(({ title, guard }) => (guard === ours ? [title] : []))
  const stopped = rows.flatMap((row) =>
    isAttack(row.name) ? [[nameOf(row), targets[row.name], ...cellsOf(row, perDays, stoppedOf)]] : [],
  )
  const seconds = rows.flatMap((row) =>
    isAttack(row.name) ? [[nameOf(row), ...cellsOf(row, perDays, firstStopOf, true)]] : [],
  )
  const people = rows.map((row) => [nameOf(row), ...cellsOf(row, perDays, heldBackOf)])
  const special = rows.flatMap((row) => {
    const cells = cellsOf(row, perDays, (found) => percent(found.specialHeldBack, found.special))
    return cells.some((cell) => cell !== '') ? [[nameOf(row), ...cells]] : []
  })
  return [
    `Share of the attack that was stopped, in percent\n${linesOf([['', 'at least', ...titles], ...stopped])}`,
    `Seconds to the first stop: the mean, and the longest\n${linesOf([['', ...ourTitles], ...seconds])}`,
    `People held back, in percent of all; in brackets those without a code if the app has the WhatsApp link\n${linesOf([['', ...titles], ...people])}`,
    `Of the people of the launch, the office, … alone, held back, in percent\n${linesOf([['', ...titles], ...special])}`,
  ].join('\n\n')
}

const nameOf = ({ name, words }: Row) => `${name}: ${words}`

const firstWidth = 68
const width = 19

const linesOf = (lines: readonly (readonly string[])[]) =>
  lines
    .map((cells) =>
      cells.map((cell, index) => (index === 0 ? cell.padEnd(firstWidth) : cell.padStart(width))).join(''),
    )
    .join('\n')
