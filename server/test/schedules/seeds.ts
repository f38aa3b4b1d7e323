/** Plays schedules seed by seed until one fails, and then shortens that one. */
import { play, shrink } from './play.ts'
import { openStage, type Stage } from './stage.ts'
import { Tape } from './tape.ts'
import { installVirtualTime, realNowMs } from './virtual-time.ts'

export interface SeedOptions {
  readonly firstSeed: number
  /** The distance from one seed to the next; other processes play those between. */
  readonly step: number
  readonly count: number
  readonly seconds: number
  /** The names of the scenarios, which take turns. */
  readonly names: readonly string[]
  readonly hasStory: boolean
}

export interface Played {
  readonly schedules: number
  readonly decisions: number
  readonly seconds: number
  readonly isGood: boolean
}

export async function playSeeds(options: SeedOptions): Promise<Played> {
  const { firstSeed, step, count, names } = options
  installVirtualTime()
  const stage = await openStage()
  const startedAtMs = realNowMs()
  const elapsed = () => (realNowMs() - startedAtMs) / 1_000
  let decisions = 0
  let schedules = 0
  let isGood = true
  while (isGood && schedules < count && elapsed() < options.seconds) {
    const seed = firstSeed + schedules * step
    const name = names[seed % names.length] ?? ''
    const outcome = await play(stage, name, Tape.ofSeed(seed))
    schedules++
    decisions += outcome.decisions.length
    if (options.hasStory) console.log(outcome.story.join('\n'))
    isGood = outcome.violations.length === 0
    if (!isGood) await report(stage, name, seed, outcome.decisions, names)
  }
  const seconds = elapsed()
  await stage.close()
  return { schedules, decisions, seconds, isGood }
}

async function report(
  stage: Stage,
  name: string,
  seed: number,
  failing: readonly number[],
  names: readonly string[],
): Promise<void> {
  const shortest = await shrink(
    failing,
    async (decisions) => (await play(stage, name, Tape.of(decisions))).violations.length > 0,
  )
  const { story, violations } = await play(stage, name, Tape.of(shortest))
  console.log(`seed ${seed} (${name}) fails: ${violations.join('; ')}`)
  console.log(`${failing.length} decisions, shrunk to ${shortest.length}: ${shortest.join(' ')}`)
  console.log(story.join('\n'))
  console.log(`Again: npm run test:schedules -- --seed ${seed} --count 1 --only ${names.join()}`)
}
