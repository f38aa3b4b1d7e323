/** Runs cases by a seed, and says which of them were answered wrongly, too late, or not at all. */
import { endsWithin } from '../../src/platform/within.ts'
import type { Node } from '../harness/node.ts'
import type { Case } from './case.ts'
import { HttpCases } from './http-cases.ts'
import { Random } from './random.ts'
import { WireCases } from './wire-cases.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly cases: number
  /** Lanes of cases beside each other: one alone mostly waits for the disk. */
  readonly atOnce?: number
  /** An answer that takes longer each time that it is asked for counts as one that hangs. */
  readonly slowMs: number
  readonly onProgress?: (done: number) => void
  readonly onFailure?: (failure: string) => void
}

export interface FuzzResult {
  readonly http: number
  readonly wires: number
  readonly slowestMs: number
  /** How many took too long, and not when they were asked again. */
  readonly slowOnce: number
  /** Each with its lane and the number of its case there. */
  readonly failures: readonly string[]
}

/** What one case has deleted, the next ones need again. */
const freshEvery = 250
const shareOfWires = 0.3
/** Longer than anything waits that is not broken. */
const hangMs = 8_000
const mostTimes = 4
const calmMs = 50
const calmWithinMs = 30_000
/** Then something is so broken that more of it says nothing. */
const mostFailures = 50
/** Seeds of lanes are far from each other, so that neighbouring seeds share none. */
const seedsOfLanes = 1_000_003

export async function fuzz(node: Node, options: FuzzOptions): Promise<FuzzResult> {
  const { atOnce = 1, onFailure = () => {} } = options
  const result = { http: 0, wires: 0, slowestMs: 0, slowOnce: 0, failures: [] as string[] }
  const fail = (failure: string) => {
    result.failures.push(failure)
    onFailure(failure)
  }
  const lanes = Array.from({ length: atOnce }, (_, lane) => runLane(node, options, lane, result, fail))
  await Promise.all(lanes)
  return result
}

async function runLane(
  node: Node,
  { seed, cases, atOnce = 1, slowMs, onProgress = () => {} }: FuzzOptions,
  lane: number,
  result: { -readonly [Name in keyof FuzzResult]: FuzzResult[Name] },
  fail: (failure: string) => void,
): Promise<void> {
  const random = new Random(seed + lane * seedsOfLanes)
  const http = new HttpCases(node, random)
  const wires = await WireCases.open(random, Number(new URL(node.baseUrl).port))
  const ofLane = Math.floor(cases / atOnce) + (lane < cases % atOnce ? 1 : 0)
  try {
    for (let index = 0; index < ofLane && result.failures.length < mostFailures; index++) {
      if (index % freshEvery === 0) await http.prepare()
      const isWire = random.chance(shareOfWires)
      const made = isWire ? wires.make() : http.make()
      const asked = await untilInTime(made, slowMs, () => untilCalm(node))
      const { wrong } = asked
      if (asked.times > 1 && wrong === null) result.slowOnce++
      if (wrong !== null) fail(`case ${lane}/${index}: ${made.said}\n  ${wrong}`)
      // What was looked at is forgotten, so that the memory shows what the service keeps.
      for (const line of node.logged.splice(0))
        if (line.level === 'error') fail(`about case ${lane}/${index}: logged ${JSON.stringify(line)}`)
      result.slowestMs = Math.max(result.slowestMs, asked.ms)
      if (isWire) result.wires++
      else result.http++
      onProgress(result.http + result.wires)
    }
  } finally {
    await http.close()
    await wires.close()
  }
}

/** A busy machine makes anything slow once; what hangs does so every time. Says how long the last time was. */
async function untilInTime(
  made: Case,
  slowMs: number,
  calm: () => Promise<void>,
): Promise<{ readonly wrong: string | null; readonly ms: number; readonly times: number }> {
  for (let times = 1; ; times++) {
    const { wrong, ms } = await timed(made)
    if (wrong !== null || ms <= slowMs) return { wrong, ms, times }
    if (times === mostTimes) return { wrong: `took ${Math.round(ms)} ms`, ms, times }
    await calm()
  }
}

/** Until the machine has time for it again, or for so long. */
async function untilCalm(node: Node): Promise<void> {
  const untilMs = performance.now() + calmWithinMs
  for (let quick = 0; quick < 3 && performance.now() < untilMs; ) {
    const begun = performance.now()
    await node.call('GET', '/readyz')
    quick = performance.now() - begun < calmMs ? quick + 1 : 0
  }
}

async function timed({ run }: Case): Promise<{ readonly wrong: string | null; readonly ms: number }> {
  const begun = performance.now()
  let wrong: string | null = null
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
  const isOver = await endsWithin(hangMs, work)
  return { wrong: isOver ? wrong : 'hangs', ms: performance.now() - begun }
}
