/** Runs cases by a seed, and says which of them were answered wrongly, too late, or not at all. */

import { endsWithin } from '../../src/platform/within.ts'
import type { Node } from '../harness/node.ts'
import { HttpCases } from './http-cases.ts'
import { Random } from './random.ts'
import { WireCases } from './wire-cases.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly cases: number
  /** An answer that takes longer counts as one that hangs. */
  readonly slowMs: number
  readonly onProgress?: (done: number) => void
  readonly onFailure?: (failure: string) => void
}

export interface FuzzResult {
  readonly http: number
  readonly wires: number
  readonly slowestMs: number
  /** Each with the number of its case. */
  readonly failures: readonly string[]
}

/** What one case has deleted, the next ones need again. */
const freshEvery = 250
const shareOfWires = 0.3
/** Longer than anything waits that is not broken. */
const hangMs = 8_000
/** Then something is so broken that more of it says nothing. */
const mostFailures = 50

export async function fuzz(
  node: Node,
  { seed, cases, slowMs, onProgress = () => {}, onFailure = () => {} }: FuzzOptions,
): Promise<FuzzResult> {
  const random = new Random(seed)
  const http = new HttpCases(node, random)
  const wires = await WireCases.open(random)
  const failures: string[] = []
  const fail = (failure: string) => {
    failures.push(failure)
    onFailure(failure)
  }
  const counts = { http: 0, wires: 0 }
  let slowestMs = 0
  const one = async (): Promise<string | null> => {
    if (random.chance(shareOfWires)) {
      counts.wires++
      return endsWithin(
        hangMs,
        wires.run().then(() => true),
      ).then((isOver) => (isOver ? null : `hangs: ${wires.last}`))
    }
    counts.http++
    return http.run()
  }
  try {
    for (let index = 0; index < cases && failures.length < mostFailures; index++) {
      if (index % freshEvery === 0) await http.prepare()
      const linesBefore = node.logged.length
      const begun = performance.now()
      const wrong = await one().catch((error: unknown) =>
        String(error instanceof Error ? error.stack : error),
      )
      const ms = performance.now() - begun
      slowestMs = Math.max(slowestMs, ms)
      if (wrong !== null) fail(`case ${index}: ${wrong}`)
      else if (ms > slowMs) fail(`case ${index}: took ${Math.round(ms)} ms: ${http.last}`)
      const said = node.logged.slice(linesBefore).filter(({ level }) => level === 'error')
      for (const line of said) fail(`case ${index}: logged ${JSON.stringify(line)}`)
      // What was looked at is forgotten, so that the memory shows what the service keeps.
      node.logged.length = 0
      onProgress(index + 1)
    }
  } finally {
    await http.close()
    await wires.close()
  }
  return { ...counts, slowestMs, failures }
}
