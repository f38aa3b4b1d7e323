import assert from 'node:assert/strict'
import { it } from 'node:test'
import { lowestId } from './ids.ts'
import { partitionOf } from './partitions.ts'

const nowMs = Date.UTC(2026, 2, 1, 0, 0, 1)
const hourMs = 3_600_000

for (const [name, hours, table] of [
  ['of today', 0, 'verifications_20260301'],
  ['of yesterday', -24, 'verifications_20260228'],
  ['of the day before', -25, 'verifications'],
  ['of tomorrow', 24, 'verifications'],
] as const) {
  it(`a row ${name} is looked for in ${table}`, () => {
    assert.equal(partitionOf('verifications', lowestId('verification', nowMs + hours * hourMs), nowMs), table)
  })
}
