import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CompanyId, newId } from '../../../platform/ids.ts'
import type { CallError } from './call-error.ts'
import { ErrorNotes } from './notes.ts'

const error = (): CallError => ({
  companyId: newId('company', 0) satisfies CompanyId,
  appId: newId('app', 0),
  keyId: newId('key', 0),
  endpoint: 'POST /api/v1/otp/send',
  status: 422,
  type: 'ValidationError',
  message: 'The request is not valid.',
  details: {},
  requestId: 'req_1',
  atMs: 3_600_000,
})

describe('errors that wait to be written', () => {
  it('are as many rows as there are kinds, however many there were', () => {
    const notes = new ErrorNotes({ kinds: 100, samplesOfKind: 3, samples: 500 })
    const one = error()
    for (let count = 0; count < 10_000; count++) notes.note({ ...one, requestId: `req_${count}` })
    const { kinds, lost } = notes.take()
    assert.deepEqual([kinds.length, kinds[0]?.count, lost], [1, 10_000, 0])
    assert.deepEqual(
      kinds[0]?.samples.map(({ requestId }) => requestId),
      ['req_9997', 'req_9998', 'req_9999'],
    )
    assert.deepEqual(notes.take().kinds, [])
  })

  it('are apart by hour', () => {
    const notes = new ErrorNotes()
    const one = error()
    notes.note(one)
    notes.note({ ...one, atMs: 2 * 3_600_000 })
    assert.deepEqual(
      notes.take().kinds.map(({ hourMs, count }) => [hourMs, count]),
      [
        [3_600_000, 1],
        [7_200_000, 1],
      ],
    )
  })

  it('beyond their bound are counted as lost, and take no memory', () => {
    const notes = new ErrorNotes({ kinds: 2, samplesOfKind: 3, samples: 500 })
    for (let count = 0; count < 5; count++) notes.note(error())
    const { kinds, lost } = notes.take()
    assert.deepEqual([kinds.length, lost], [2, 3])
  })

  it('are kept in full up to a bound over all kinds, and at least the newest of each', () => {
    const notes = new ErrorNotes({ kinds: 100, samplesOfKind: 100, samples: 5 })
    const [first, second] = [error(), error()]
    for (let count = 0; count < 10; count++) notes.note({ ...first, requestId: `req_${count}` })
    for (let count = 10; count < 20; count++) notes.note({ ...second, requestId: `req_${count}` })
    assert.deepEqual(
      notes.take().kinds.map(({ count, samples }) => [count, samples.length, samples.at(-1)?.requestId]),
      [
        [10, 5, 'req_9'],
        [10, 1, 'req_19'],
      ],
    )
  })

  it('that could not be written come again with the next, counted once', () => {
    const notes = new ErrorNotes({ kinds: 10, samplesOfKind: 2, samples: 500 })
    const one = error()
    for (let count = 0; count < 5; count++) notes.note({ ...one, requestId: `req_${count}` })
    const { kinds } = notes.take()
    notes.note({ ...one, requestId: 'req_5' })
    notes.putBack(kinds)
    const [again] = notes.take().kinds
    assert.equal(again?.count, 6)
    assert.deepEqual(
      again?.samples.map(({ requestId }) => requestId),
      ['req_4', 'req_5'],
    )
  })
})
