/**
 * How well the service chooses among accounts, compared with an oracle, fixed priority and chance.
 *
 *   npm run bench:routes [seed …]
 *
 * There is no database: the chooser of the service runs by itself, second by second.
 */
import { type Day, type Leaving, measureDay } from './measure.ts'

/** The chooser was tuned on other seeds, and not changed after results of these. */
const published = Array.from({ length: 8 }, (_, index) => 5_001 + index)
const asked = process.argv.slice(2).map(Number)
const seeds = asked.length > 0 ? asked : published
/** `every`: seconds between two sends of one country. */
const paces = [
  { every: 12, words: '300 an hour in each country', seeds },
  { every: 60, words: '60 an hour', seeds },
]

const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other)
const at = (values: readonly number[], share: number) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))]
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
/** Undefined if there were no such sends. */
const more = (ratio: number) =>
  Number.isNaN(ratio) ? undefined : `${ratio >= 1 ? '+' : '−'}${Math.abs((ratio - 1) * 100).toFixed(1)} %`
const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const line = (...cells: readonly (string | number | undefined)[]) =>
  console.log(`| ${cells.map((cell) => cell ?? '–').join(' | ')} |`)

function report(words: string, days: readonly Day[]): void {
  const cost = (name: string, of: (day: Day) => number) => {
    const ratios = days.map(of)
    line(name, more(mean(ratios)), more(at(ratios, 0) ?? 1), more(at(ratios, 1) ?? 1))
  }
  console.log(`\n### ${words} (${days.length} worlds)\n`)
  line('an approval costs, beside the oracle', 'on average', 'best world', 'worst world')
  line('---', '---', '---', '---')
  cost('learned, after 500 sends in a country', (day) => day.learned)
  cost('the same rule, told all at once', (day) => day.informed)
  cost('fixed priority, the same sends', (day) => day.priority)
  cost('by chance, the same sends', (day) => day.chance)
  cost('learned, the same, by the codes that were typed', (day) => day.asItFell)
  cost('learned, from the first send to midnight', (day) => day.fromTheStart)
  cost('fixed priority, the same', (day) => day.priorityWhole)
  reportChanges(days)
  reportFloor(days)
}

function reportChanges(days: readonly Day[]): void {
  const [left, sought] = [days.flatMap((day) => day.left), days.flatMap((day) => day.found)]
  const found = sought.flatMap((sends) => (sends === null ? [] : [sends]))
  console.log()
  line('', 'median', 'nine of ten', 'most', 'countries')
  line('---', '---', '---', '---', '---')
  const leaving = (name: string, of: (one: Leaving) => number) => {
    const values = left.map(of)
    line(name, at(values, 0.5), at(values, 0.9), at(values, 1), values.length)
  }
  leaving('sends until a route that fell led no more', ({ led }) => led)
  leaving('sends until it was only tried', ({ tried }) => tried)
  leaving('until a detector that knows what to look for sees it', ({ ideal }) => ideal)
  leaving('messages that it was given until then', ({ carried }) => carried)
  line(
    'sends until a repaired account led again',
    at(found, 0.5),
    at(found, 0.9),
    at(found, 1),
    `${found.length} of ${sought.length}`,
  )
}

function reportFloor(days: readonly Day[]): void {
  const stretches = (name: string, of: (day: Day) => readonly number[]) => {
    const values = days.flatMap(of)
    if (values.length === 0) return
    const under = values.filter((share) => share < 0.9).length / values.length
    line(
      name,
      percent(mean(values)),
      percent(at(values, 0.001) ?? 1),
      percent(at(values, 0) ?? 1),
      percent(under),
    )
  }
  console.log()
  line('conversion, beside the best account’s', 'on average', 'one of a thousand', 'worst', 'under the floor')
  line('---', '---', '---', '---', '---')
  stretches('first 500 sends of a country', (day) => [day.early])
  stretches('after them, each country', (day) => day.countries)
  stretches('every 200 sends in a row', (day) => day.stretches)
  stretches('the same rule, told all at once, until noon', (day) => day.informedStretches)
  stretches('every 200, by the codes that were typed', (day) => day.typed)
  stretches('the oracle, the same', (day) => day.oracleTyped)
}

for (const { words, every, seeds: own } of paces)
  report(
    words,
    own.map((seed) => measureDay(seed, every)),
  )
