/** `npm run test:schedules -- [--seed N] [--count K] [--seconds S] [--only messages,events,guesses] [--story]` */
import { parseArgs } from 'node:util'
import { play, scenarios, shrink } from './play.ts'
import { openStage, type Stage } from './stage.ts'
import { Tape } from './tape.ts'
import { installVirtualTime, realNowMs } from './virtual-time.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '600' },
    only: { type: 'string', default: Object.keys(scenarios).join() },
    story: { type: 'boolean', default: false },
  },
})
const firstSeed = Number(values.seed)
const names = values.only.split(',')

installVirtualTime()
const stage = await openStage()
const startedAtMs = realNowMs()
const elapsedSeconds = () => (realNowMs() - startedAtMs) / 1_000
let failures = 0
let played = 0
let decisions = 0
for (
  ;
  played < Number(values.count) && elapsedSeconds() < Number(values.seconds) && failures === 0;
  played++
) {
  const seed = firstSeed + played
  const name = names[seed % names.length] ?? ''
  const outcome = await play(stage, name, Tape.ofSeed(seed))
  decisions += outcome.decisions.length
  if (values.story) console.log(outcome.story.join('\n'))
  if (outcome.violations.length === 0) continue
  failures++
  await report(stage, name, seed, outcome.decisions)
}
const seconds = elapsedSeconds()
console.log(
  `${played} schedules (${names.join(', ')}; seeds ${firstSeed} to ${firstSeed + played - 1}), ${decisions} decisions, ` +
    `${seconds.toFixed(1)} s, ${Math.round((played / seconds) * 60)} a minute, ${failures === 0 ? 'no violation' : 'VIOLATED'}`,
)
await stage.close()
process.exit(failures === 0 ? 0 : 1)

async function report(stage: Stage, name: string, seed: number, failing: readonly number[]): Promise<void> {
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
