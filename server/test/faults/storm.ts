/** What breaks, when and for how long: all of it follows from the seed. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CableState } from './cable.ts'
import type { Installation } from './installation.ts'
import type { NodeProcess } from './node-process.ts'
import { untilItAnswers } from './settle.ts'
import type { TroubleKind } from './troubles.ts'

export interface Storm {
  readonly counts: Map<string, number>
  readonly story: string[]
}

const pausesMs = { least: 500, most: 6_000 }
/** Longer than a silent process counts as alive. Rare, because it takes so long. */
const longPauseMs = 34_000
const clockShiftsMs = [0, 0, -300_000, 300_000, -3_600_000, 3_600_000]
const cableStates: readonly CableState[] = ['cut', 'silent', 'slow', 'half there', 'half back']
/** Tables that the service's statements wait for. */
const locked = ['companies', 'deliveries', 'workers', 'webhook_endpoints']

const enableEveryMs = 4_000

type Fault = (installation: Installation, random: () => number, tell: (what: string) => void) => Promise<void>

const pick = <Value>(random: () => number, values: readonly Value[]): Value => {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error('nothing to choose from')
  return value
}

const nodeOf = ({ apis, workers }: Installation, random: () => number): NodeProcess =>
  pick(random, [...apis, ...workers])

const faults: Readonly<Record<string, { readonly weight: number; readonly run: Fault }>> = {
  'a process is killed': {
    weight: 4,
    run: async (installation, random, tell) => {
      const node = nodeOf(installation, random)
      if (node.isTaken) return
      node.isTaken = true
      const shiftMs = pick(random, clockShiftsMs)
      tell(`${node.name}, next clock off by ${shiftMs} ms`)
      const end = installation.troubles.begin('death')
      await node.kill()
      node.moveClock(shiftMs)
      await pause(random() * 3_000)
      await node.start()
      end()
      node.isTaken = false
    },
  },
  'a process stands still': {
    weight: 4,
    run: async (installation, random, tell) => {
      const node = nodeOf(installation, random)
      if (node.isTaken) return
      node.isTaken = true
      const forMs =
        random() < 0.08 ? longPauseMs : pausesMs.least + random() * (pausesMs.most - pausesMs.least)
      tell(`${node.name} for ${Math.round(forMs)} ms`)
      const end = installation.troubles.begin('silence')
      node.pause()
      await pause(forMs)
      node.resume()
      end()
      node.isTaken = false
    },
  },
  'a clock jumps': {
    weight: 2,
    run: async (installation, random, tell) => {
      const node = nodeOf(installation, random)
      if (node.isTaken) return
      const shiftMs = pick(random, clockShiftsMs)
      tell(`${node.name}, off by ${shiftMs} ms from now on`)
      node.moveClock(shiftMs)
    },
  },
  'PostgreSQL is restarted': {
    weight: 1,
    run: async ({ postgres, database, troubles }, random, tell) => {
      const how = pick(random, ['fast', 'immediate'] as const)
      tell(how)
      const end = troubles.begin('silence')
      await postgres.restart(how)
      await pause(2_000)
      await untilItAnswers(database)
      end()
    },
  },
  'a cable is damaged': {
    weight: 8,
    run: async ({ cables, troubles }, random, tell) => {
      const [name, cable] = pick(random, Object.entries(cables))
      const state = pick(random, cableStates)
      const forMs = 500 + random() * 4_500
      tell(`${name} is ${state} for ${Math.round(forMs)} ms`)
      const kind = troubleOf(name)
      const end = kind && troubles.begin(kind)
      cable.become(state)
      await pause(forMs)
      cable.become('whole')
      end?.()
    },
  },
  'a table is locked, and the pool fills': {
    weight: 2,
    run: async ({ database, troubles }, random, tell) => {
      const table = pick(random, locked)
      const forMs = 500 + random() * 6_000
      tell(`${table} for ${Math.round(forMs)} ms`)
      const client = await database.connect().catch(() => null)
      if (!client) return
      client.on('error', () => {})
      const end = troubles.begin('silence')
      await client
        .query(`begin; set local lock_timeout = 2000; lock table ${table} in access exclusive mode`)
        .then(() => pause(forMs))
        .then(() => client.query('rollback'))
        .then(
          () => client.release(),
          () => client.release(true),
        )
      end()
    },
  },
  'the endpoint errs': {
    weight: 1,
    run: async ({ endpoint }, random, tell) => {
      const status = random() < 0.2 ? 410 : 500
      tell(String(status))
      endpoint.status = status
      await pause(500 + random() * 2_000)
      endpoint.status = 204
    },
  },
}

/** The kind of trouble that a damaged cable can cause. */
function troubleOf(cable: string): TroubleKind | null {
  if (cable === 'endpoint') return 'endpoint'
  return cable.endsWith('-database') ? 'silence' : null
}

/** Enables paused endpoints again, as a person would. */
async function keepEnabling({ enableEndpoints }: Installation, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await pause(enableEveryMs)
    await enableEndpoints()
  }
}

/** Faults start one after the other and overlap; each ends by itself. */
export async function rage(
  installation: Installation,
  random: () => number,
  seconds: number,
): Promise<Storm> {
  const storm: Storm = { counts: new Map(), story: [] }
  const startedAtMs = Date.now()
  const running = new Set<Promise<void>>()
  let isOver = false
  const enabling = keepEnabling(installation, () => isOver)
  const names = Object.entries(faults).flatMap(([name, { weight }]) =>
    Array.from({ length: weight }, () => name),
  )
  while (Date.now() - startedAtMs < seconds * 1_000) {
    const name = pick(random, names)
    const tell = (what: string) => {
      storm.counts.set(name, (storm.counts.get(name) ?? 0) + 1)
      storm.story.push(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(6)} s  ${name}: ${what}`)
    }
    // Each fault has its own random numbers, so that its duration does not change what the next one does.
    const own = numbersOf(random)
    const fault = faults[name]?.run(installation, own, tell) ?? Promise.resolve()
    running.add(fault)
    void fault.finally(() => running.delete(fault)).catch(() => {})
    await pause(400 + random() * 1_600)
  }
  await Promise.all(running)
  isOver = true
  await enabling
  return storm
}

function numbersOf(random: () => number): () => number {
  const own = Array.from({ length: 8 }, random)
  let next = 0
  return () => own[next++ % own.length] ?? 0
}
