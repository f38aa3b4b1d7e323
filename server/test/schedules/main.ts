/**
 * `npm run test:schedules -- [--seed N] [--count K] [--seconds S] [--only messages,events] [--processes P] [--story]`
 *
 * A schedule runs one step at a time, so several processes share the seeds, each with its own database.
 */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { startThrowawayDatabase } from '../../src/platform/embedded-database.ts'
import { readOptions } from '../harness/options.ts'
import { scenarios } from './play.ts'
import { type Played, playSeeds, type SeedOptions } from './seeds.ts'

/** Fewer than this finish before a second process would have started. */
const fewSchedules = 200

const { seed, step, count, seconds, only, processes, story } = readOptions({
  seed: 1,
  step: 1,
  count: 1_000,
  seconds: 600,
  only: Object.keys(scenarios).join(),
  // 0: as many as there are processors, or one for a few schedules.
  processes: 0,
  story: false,
})
const names = only.split(',')
const unknown = names.filter((name) => !(name in scenarios))
if (unknown.length > 0) {
  console.error(`There is no "${unknown.join('", "')}". There are: ${Object.keys(scenarios).join(', ')}.`)
  process.exit(2)
}
const options: SeedOptions = {
  firstSeed: seed,
  step,
  count,
  seconds,
  names,
  hasStory: story,
}
const atOnce = processes || (count < fewSchedules ? 1 : availableParallelism())

if (process.send) {
  const played = await playSeeds(options)
  process.send(played, () => process.exit(0))
} else {
  const played = atOnce === 1 ? [await playSeeds(options)] : await playInProcesses(atOnce)
  process.exit(tell(played) ? 0 : 1)
}

async function playInProcesses(count: number): Promise<Played[]> {
  const server = await startThrowawayDatabase()
  const played = Array.from({ length: count }, (_, index) => playInProcess(index, count, server.url))
  return Promise.all(played).finally(server.close)
}

/** Each process plays every `step`-th seed. */
function playInProcess(index: number, step: number, databaseUrl: string): Promise<Played> {
  const { firstSeed, count, seconds, names, hasStory } = options
  const given = {
    seed: firstSeed + index,
    step,
    count: Math.ceil((count - index) / step),
    seconds,
    only: names.join(),
  }
  const args = Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = fork(process.argv[1] ?? '', [...args, ...(hasStory ? ['--story'] : [])], {
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl },
  })
  process.once('exit', () => child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Played))
    child.once('exit', (code) => reject(new Error(`a process of schedules ended with ${code}`)))
  })
}

function tell(played: readonly Played[]): boolean {
  const sum = (of: (one: Played) => number) => played.reduce((total, one) => total + of(one), 0)
  const seconds = Math.max(...played.map((one) => one.seconds))
  const schedules = sum((one) => one.schedules)
  const isGood = played.every((one) => one.isGood)
  console.log(
    `${schedules} schedules (${options.names.join(', ')}; from seed ${options.firstSeed} on, ${played.length} at a time), ` +
      `${sum((one) => one.decisions)} decisions, ${seconds.toFixed(1)} s, ` +
      `${Math.round((schedules / seconds) * 60)} a minute, ${isGood ? 'no violation' : 'VIOLATED'}`,
  )
  return isGood
}
