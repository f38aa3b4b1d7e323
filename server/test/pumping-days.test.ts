/**
 * Days of the benchmark on which much of the guard is at work: people beside an attack, verified numbers, scouts, lanes,
 * crowds. A change that is meant to leave decisions alone leaves these counts as they are. After one that is not, the
 * tables in docs/pumping.md are measured again.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measure } from '../../bench/pumping/measure.ts'
import type { ScenarioName } from '../../bench/pumping/scenario.ts'

const [perDay, seed] = [400, 201]
const days: readonly [name: ScenarioName, stopped: number, held: number][] = [
  ['A9', 7_213, 26],
  ['A11', 6_870, 4],
  ['A13', 7_143, 11],
  ['A15', 1_211, 5],
  ['A16', 1_153, 99],
  ['A17', 120, 0],
  ['A20', 7_081, 0],
  ['A22', 576, 0],
  ['hall', 0, 0],
  ['tiny apps', 0, 0],
  ['attacked launch', 7_244, 45],
]

describe('the guard against pumping, on a day of the benchmark', () => {
  for (const [name, stopped, held] of days)
    it(`stops as much of ${name}, and holds as many people, as when the tables were measured`, () => {
      const found = measure(name, perDay, [seed], ['conversion debt']).get('conversion debt')
      assert.deepEqual([found?.attackStopped, found?.heldBack], [stopped, held])
    })
})
