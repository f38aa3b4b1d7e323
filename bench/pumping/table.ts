/** The benchmark's table, compared with the baselines. The guard was not tuned on its seeds. */
import { type AttackName, attackNames, attackWords } from './attacks.ts'
import { type GuardName, guards, type Measured, measure } from './measure.ts'
import { isAttack, negativeNames, negatives, type ScenarioName } from './scenario.ts'

export interface Row {
  readonly name: ScenarioName
  readonly words: string
  /** The results by sends a day. */
  readonly results: ReadonlyMap<number, ReadonlyMap<GuardName, Measured>>
}

/** The guard was tuned on other seeds, all below 200. */
const seedsFor = (perDay: number) =>
  perDay < 1_000 ? [201, 202, 203, 204] : perDay < 10_000 ? [201, 202] : [201]

/** In sends a day. Baselines are shown for the first only. */
export const volumes = [6_000, 400, 40_000] as const
const guardNames = Object.keys(guards) as GuardName[]
const ours: GuardName = 'conversion debt'

export const scenarioNames: readonly ScenarioName[] = [...attackNames, ...negativeNames]

export function makeRow(
  name: ScenarioName,
  perDays: readonly number[],
  seeds: readonly number[] | null,
): Row {
  const words = isAttack(name) ? attackWords[name] : negatives[name].words
  const results = perDays.map((perDay) => {
    const shown = perDay === volumes[0] && !seeds ? guardNames : [ours]
    return [perDay, measure(name, perDay, seeds ?? seedsFor(perDay), shown)] as const
  })
  return { name, words, results: new Map(results) }
}

/** The percentage that the guard must stop. For A17 it means that at most 25 of 140 may go out. */
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
  A10: '98',
  A11: '',
  A12: '95',
  A13: '95',
  A14: '80',
  A15: '',
  A16: '',
  A17: '82.2',
  A18: '98',
  A19: '98',
  A20: '',
  A21: '',
  A22: '',
}

export const percent = (part: number, whole: number) => (whole === 0 ? '' : ((100 * part) / whole).toFixed(2))

const stoppedOf = ({ attackStopped, attackSends }: Measured) => percent(attackStopped, attackSends)

/** The mean over all seeds, with the longest in brackets. */
function firstStopOf({ firstStops }: Measured): string {
  if (firstStops.length === 0) return 'never'
  const mean = firstStops.reduce((sum, seconds) => sum + seconds, 0) / firstStops.length
  return `${mean.toFixed(0)} (${Math.max(...firstStops).toFixed(0)})`
}

const heldBackOf = ({ heldBack, withoutCode, people }: Measured) =>
  `${percent(heldBack, people)} (${percent(withoutCode, people)})`

/** The guard and the volume of each column. */
function columnsOf(
  perDays: readonly number[],
  isOurs: boolean,
): { title: string; guard: GuardName; perDay: number }[] {
  return perDays.flatMap((perDay) =>
    (perDay === volumes[0] && !isOurs ? guardNames : [ours]).map((guard) => ({
      title: guard === ours ? `at ${perDay.toLocaleString('en')}` : guard,
      guard,
      perDay,
    })),
  )
}

type Cell = (measured: Measured) => string

function cellsOf(row: Row, perDays: readonly number[], cell: Cell, isOurs: boolean): string[] {
  const columns = columnsOf(perDays, isOurs)
  return columns.map(({ guard, perDay }) => {
    const measured = row.results.get(perDay)?.get(guard)
    return measured ? cell(measured) : ''
  })
}

export function textOf(rows: readonly Row[], perDays: readonly number[], isOurs = false): string {
  const titles = columnsOf(perDays, isOurs).map(({ title }) => title)
  const ourTitles = columnsOf(perDays, true).map(({ title }) => title)
  const stopped = rows.flatMap((row) =>
    isAttack(row.name) ? [[nameOf(row), targets[row.name], ...cellsOf(row, perDays, stoppedOf, isOurs)]] : [],
  )
  const seconds = rows.flatMap((row) =>
    isAttack(row.name) ? [[nameOf(row), ...cellsOf(row, perDays, firstStopOf, true)]] : [],
  )
  const people = rows.map((row) => [nameOf(row), ...cellsOf(row, perDays, heldBackOf, isOurs)])
  const special = rows.flatMap((row) => {
    const cells = cellsOf(row, perDays, (found) => percent(found.specialHeldBack, found.special), isOurs)
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
