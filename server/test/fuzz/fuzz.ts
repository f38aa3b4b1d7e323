/** Runs cases generated from a seed, and reports those that were answered wrongly, too late, or not at all. */
import { endsWithin } from '../../src/platform/within.ts'
import type { Node } from '../harness/node.ts'
import type { Case } from './case.ts'
import { type Cost, costOf, Floor } from './cost.ts'
import { HttpCases } from './http-cases.ts'
import { Random } from './random.ts'
import { WireCases } from './wire-cases.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly cases: number
  /** How many lanes of cases run in parallel: one alone mostly waits for the disk. */
  readonly atOnce?: number
  /** A case that takes longer, not counting waits for a processor, counts as hanging. */
  readonly slowMs: number
  /** The pids of the database's processes, whose share of a case is counted too. */
  readonly processes: () => Promise<readonly number[]>
  readonly onProgress?: (done: number) => void
  readonly onFailure?: (failure: string) => void
}

interface Dear {
  readonly said: string
  readonly cpuMs: number
}

export interface FuzzResult {
  readonly http: number
  readonly wires: number
  readonly slowestMs: number
  /** How many took too long beside others, but not alone. */
  readonly slowOnce: number
  /** The cases that took the most processor time; with several lanes this includes what ran meanwhile. */
  readonly dearest: readonly Dear[]
  /** Each names its lane and the number of its case there. */
  readonly failures: readonly string[]
}

/** Test data is made again after this many cases, because some cases delete it. */
const freshEvery = 250
const shareOfWires = 0.3
/** Longer than any wait that works, also on a busy machine. */
const hangMs = 60_000
const keptDearest = 5
/** After this many failures something is so broken that more of them say nothing. */
const mostFailures = 50
/** Lanes' seeds are far apart, so that runs with neighbouring seeds share none. */
const seedsOfLanes = 1_000_003

export async function fuzz(node: Node, options: FuzzOptions): Promise<FuzzResult> {
  const { atOnce = 1, onFailure = () => {} } = options
  const result = {
    http: 0,
    wires: 0,
    slowestMs: 0,
    slowOnce: 0,
    dearest: [] as Dear[],
    failures: [] as string[],
  }
  const fail = (failure: string) => {
    result.failures.push(failure)
    onFailure(failure)
  }
  const floor = new Floor()
  const lanes = Array.from({ length: atOnce }, (_, lane) => runLane(node, options, floor, lane, result, fail))
  await Promise.all(lanes)
  return result
}

async function runLane(
  node: Node,
  options: FuzzOptions,
  floor: Floor,
  lane: number,
  result: { -readonly [Name in keyof FuzzResult]: FuzzResult[Name] },
  fail: (failure: string) => void,
): Promise<void> {
  const { seed, cases, atOnce = 1, onProgress = () => {} } = options
  const random = new Random(seed + lane * seedsOfLanes)
  const http = new HttpCases(node, random)
  const wires = await WireCases.open(random, Number(new URL(node.baseUrl).port))
  const ofLane = Math.floor(cases / atOnce) + (lane < cases % atOnce ? 1 : 0)
  try {
    for (let index = 0; index < ofLane && result.failures.length < mostFailures; index++) {
      if (index % freshEvery === 0) await http.prepare()
      const isWire = random.chance(shareOfWires)
      const made = isWire ? wires.make() : http.make()
      const { wrong, cost, wasSlow } = await ask(made, options, floor)
      if (wasSlow && wrong === null) result.slowOnce++
      if (wrong !== null) fail(`case ${lane}/${index}: ${made.said}\n  ${wrong}`)
      // Checked lines are removed, so that memory shows only what the service keeps.
      for (const line of node.logged.splice(0))
        if (line.level === 'error') fail(`about case ${lane}/${index}: logged ${JSON.stringify(line)}`)
      if (!wasSlow) result.slowestMs = Math.max(result.slowestMs, cost.wallMs)
      noteCost(result, made, cost)
      if (isWire) result.wires++
      else result.http++
      onProgress(result.http + result.wires)
    }
  } finally {
    await http.close()
    await wires.close()
  }
}

function noteCost(result: { dearest: readonly Dear[] }, { said }: Case, { cpuMs }: Cost): void {
  const { dearest } = result
  if (dearest.length === keptDearest && cpuMs <= (dearest.at(-1)?.cpuMs ?? 0)) return
  result.dearest = [...dearest, { said: said.slice(0, 200), cpuMs }]
    .sort((one, other) => other.cpuMs - one.cpuMs)
    .slice(0, keptDearest)
}

interface Asked {
  readonly wrong: string | null
  readonly cost: Cost
  /** It took too long beside others, and was repeated alone. */
  readonly wasSlow: boolean
}

/** A case that took too long beside others is repeated alone, and then judged by its time on a free machine. */
async function ask(made: Case, { slowMs, processes, atOnce = 1 }: FuzzOptions, floor: Floor): Promise<Asked> {
  const pids = atOnce === 1 ? await processes() : []
  const first = await floor.beside(() => timed(made, pids))
  if (first.wrong !== null || first.cost.wallMs <= slowMs) return { ...first, wasSlow: false }
  const { wrong, cost } = await floor.alone(async () => timed(made, await processes()))
  const isSlow = cost.ownMs > slowMs
  const took = `took ${Math.round(cost.ownMs)} ms, ${Math.round(cost.cpuMs)} of a processor`
  return { wrong: wrong ?? (isSlow ? took : null), cost, wasSlow: true }
}

async function timed(
  { run }: Case,
  pids: readonly number[],
): Promise<{ readonly wrong: string | null; readonly cost: Cost }> {
  let wrong: string | null = null
  const cost = await costOf(pids, async () => {
    const work = run().then(
      (said) => {
        wrong = said
        return true
      },
      (error: unknown) => {
        wrong = String(error instanceof Error ? error.stack : error)
        return true
      },
    )
    if (!(await endsWithin(hangMs, work))) wrong = 'hangs'
  })
  return { wrong, cost }
}
