/** One schedule: a storm in which anything may happen, a calm in which everything must finish, and the checks. */
import { playEvents } from './events.ts'
import { playGuesses } from './guesses.ts'
import { playMessages, playReceipts } from './messages.ts'
import { playResends } from './resends.ts'
import type { Play, Scenario } from './scenario.ts'
import type { Stage } from './stage.ts'
import type { Tape } from './tape.ts'
import { liveIn, realImmediate } from './virtual-time.ts'
import { Wires } from './wire.ts'
import { World } from './world.ts'

export const scenarios: Readonly<Record<string, Scenario>> = {
  messages: playMessages,
  events: playEvents,
  guesses: playGuesses,
  receipts: playReceipts,
  resends: playResends,
}

export interface Outcome {
  readonly violations: readonly string[]
  readonly story: readonly string[]
  readonly decisions: readonly number[]
}

const stormSteps = [20, 40, 80]
const mostCalmSteps = 4_000
/** Once nothing is under way, this much time may pass in one step without any heartbeat being late. */
const calmLeapMs = 6_000
const mostDeaths = 2
const pausesMs = [2_000, 12_000, 28_000, 45_000, 70_000]
/**
 * The weights of the faults before a step of the storm: none, a pause, a death, a restart of PostgreSQL, a leap in
 * time, an action of a person.
 */
const faults = [930, 24, 10, 4, 16, 16]

export async function play(stage: Stage, name: string, tape: Tape): Promise<Outcome> {
  const scenario = scenarios[name]
  if (!scenario) throw new Error(`there is no scenario ${name}`)
  liveIn(null)
  await stage.reset()
  let wires: Wires | null = null
  const world = new World({
    tape,
    startMs: stage.startMs,
    onTime: async () => wires?.passTime(),
    realImmediate,
  })
  wires = new Wires(world, stage.post)
  liveIn(world)
  try {
    const begun = await scenario(world, wires, stage)
    await storm(world, wires, begun)
    if (world.violations.length === 0) await calm(world, begun)
    await begun.check()
  } finally {
    await end(world, wires)
    liveIn(null)
  }
  return { violations: world.violations, story: world.story, decisions: tape.decisions }
}

async function storm(world: World, wires: Wires, begun: Play): Promise<void> {
  const steps = stormSteps[world.tape.below(stormSteps.length)] ?? 0
  let deaths = 0
  for (let step = 0; step < steps && world.violations.length === 0; step++) {
    const living = begun.nodes().filter(({ isDead }) => !isDead)
    const fault = world.tape.choose(faults)
    const victim = fault > 0 ? living[world.tape.below(living.length)] : undefined
    if (fault === 1 && victim) world.pause(victim, pausesMs[world.tape.below(pausesMs.length)] ?? 0)
    if (fault === 2 && victim && deaths++ < mostDeaths) {
      await wires.hangUp(victim, world.kill(victim))
      if (living.length === 1 || world.tape.below(2) === 1) await begun.replace()
    }
    if (fault === 3) await wires.restart()
    if (fault === 4) await world.passTime(pausesMs[world.tape.below(pausesMs.length)] ?? 0)
    if (fault === 5) await begun.act?.()
    if (!(await world.goOn())) await world.wait([5_000, 1_000, 10_000][world.tape.below(3)] ?? 0)
  }
}

async function calm(world: World, begun: Play): Promise<void> {
  world.tell('the storm is over')
  world.calm()
  await begun.settle?.()
  if (begun.nodes().every(({ isDead }) => isDead)) await begun.replace()
  for (let step = 0; step < mostCalmSteps; step++) {
    if (await world.goOn()) continue
    if (await begun.isOver()) return
    await world.passTime(calmLeapMs)
  }
  world.violate('nothing comes to its end')
}

/** Stops every actor, and ends their use of the database. */
async function end(world: World, wires: Wires): Promise<void> {
  for (const actor of world.actors) if (!actor.isDead) world.end(actor)
  await wires.restart()
}

const mostTries = 400

/**
 * Looks for the shortest list of decisions that still fails: it is cut first, then decisions are replaced by the
 * harmless one, in ever smaller pieces.
 */
export async function shrink(
  failing: readonly number[],
  fails: (decisions: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let best = withoutTail(failing)
  let tries = 0
  const attempt = async (next: readonly number[]) => {
    if (++tries > mostTries || !(await fails(next))) return false
    best = withoutTail(next)
    return true
  }
  for (let size = best.length; size >= 1; size = Math.floor(size / 2)) {
    while (best.length > size && (await attempt(best.slice(0, best.length - size)))) {}
    for (let from = 0; from < best.length; from += size) {
      const isHarmless = best.slice(from, from + size).every((decision) => decision === 0)
      if (isHarmless) continue
      await attempt(best.map((decision, index) => (index >= from && index < from + size ? 0 : decision)))
    }
    if (tries > mostTries) break
  }
  return best
}

/** Zeros at the end can be dropped, because missing decisions are 0 as well. */
function withoutTail(decisions: readonly number[]): readonly number[] {
  return decisions.slice(0, decisions.findLastIndex((decision) => decision !== 0) + 1)
}
