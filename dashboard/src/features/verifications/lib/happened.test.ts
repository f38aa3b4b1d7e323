import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListedRefusal, ListedVerification } from '@countersign/contract'
import { mergeParts } from './happened.ts'

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
const rows = (...seconds: number[]) => seconds.map((second) => ({ created_at: at(second) }))
/** Only the times of the rows matter here. */
const started = (readTo: number | null, ...seconds: number[]) => ({
  rows: rows(...seconds) as ListedVerification[],
  readTo: readTo === null ? null : at(readTo),
})
const refused = (readTo: number | null, ...seconds: number[]) => ({
  rows: rows(...seconds) as ListedRefusal[],
  readTo: readTo === null ? null : at(readTo),
})
const told = ({ rows: shown, behind }: ReturnType<typeof mergeParts>) => [
  shown.map(({ kind, row }) => `${kind} ${Number(row.created_at.slice(17, 19))}`),
  behind,
]

describe('what was started and what was refused', () => {
  it('are one list, newest first', () => {
    const merged = mergeParts(started(null, 8, 5, 2), refused(null, 7, 3))
    assert.deepEqual(told(merged), [['started 8', 'refused 7', 'started 5', 'refused 3', 'started 2'], null])
  })

  it('stop where one of them has not been read further, which is then read on', () => {
    assert.deepEqual(told(mergeParts(started(2, 8, 5, 2), refused(6, 7, 6))), [
      ['started 8', 'refused 7', 'refused 6'],
      'refused',
    ])
    assert.deepEqual(told(mergeParts(started(5, 8, 5), refused(null, 3))), [
      ['started 8', 'started 5'],
      'started',
    ])
  })
})
