import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, asSentence, problemAt, readRefusal } from './api-error.ts'

const refusal = (body: unknown) =>
  readRefusal(
    new Response(JSON.stringify(body), { status: 422, headers: { 'x-request-id': 'req_header01' } }),
  )

describe('a refusal of the service', () => {
  it('keeps its request id and what it says of each field', async () => {
    const error = await refusal({
      error: {
        type: 'ValidationError',
        message: 'The body is not valid',
        details: { fields: [{ path: 'limits.ip.0.max', message: 'must be at least 1' }, { nonsense: true }] },
      },
      request_id: 'req_body0001',
    })
    assert.equal(error.requestId, 'req_body0001')
    assert.equal(error.fields.length, 1)
    assert.equal(problemAt(error, 'limits.ip'), 'must be at least 1')
    assert.equal(problemAt(error, 'limits.i'), undefined)
  })

  it('that is no JSON still has a request id, and says what to do', async () => {
    const answer = new Response('<html>', { status: 502, headers: { 'x-request-id': 'req_header01' } })
    const error = await readRefusal(answer)
    assert.equal(error.status, 502)
    assert.equal(error.requestId, 'req_header01')
    assert.equal(error.message, 'The service cannot be reached now (502). Try again in a moment.')
  })

  it('reads as a sentence beside a field', () => {
    assert.equal(asSentence('must be at least 1'), 'Must be at least 1.')
    assert.equal(asSentence('Is it?'), 'Is it?')
    assert.equal(problemAt(new Error('no refusal'), 'name'), undefined)
    assert.deepEqual(new ApiError(500, 'InternalError', 'no').fields, [])
  })
})
