/**
 * `npm run test:schedules -- [--seed N] [--count K] [--seconds S] [--only messages,events] [--processes P] [--story]`
 *
 * A schedule runs one step at a time, so several processes share the seeds, each with its own database.
 */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { startThrowawayDatabase } from '../../src/platform/embedded-database.ts'
import { scenarios } from './play.ts'
import { type Played, playSeeds, type SeedOptions } from './seeds.ts'

/** Fewer than this finish before a second process would have started. */
const fewSchedules = 200

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    step: { type: 'string', default: '1' },
    count: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '600' },
    only: { type: 'string', default: Object.keys(scenarios).join() },
    processes: { type: 'string' },
    story: { type: 'boolean', default: false },
  },
})
const options: SeedOptions = {
  firstSeed: Number(values.seed),
  step: Number(values.step),
  count: Number(values.count),
  seconds: Number(values.seconds),
  names: values.only.split(','),
  hasStory: values.story,
}
const processes = Number(values.processes ?? (options.count < fewSchedules ? 1 : availableParallelism()))

if (process.send) {
  const played = await playSeeds(options)
  process.send(played, () => process.exit(0))
} else {
  const played = processes === 1 ? [await playSeeds(options)] : await playInProcesses(processes)
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
