import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError, operations } from '@countersign/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createErrorHandler } from './errors.ts'
import { errorRecordOf } from './noted-errors.ts'

function answered(error: unknown, url = '/api/v1/otp/send') {
  const noted: AppError[] = []
  const logged: unknown[] = []
  const seen = { status: 0, headers: {} as Record<string, unknown>, body: {} as Record<string, unknown> }
  const reply = {
    code: (status: number) => Object.assign(reply, void Object.assign(seen, { status })),
    header: (name: string, value: unknown) =>
      Object.assign(reply, void Object.assign(seen.headers, { [name]: value })),
    send: (body: Record<string, unknown>) => Object.assign(reply, void Object.assign(seen, { body })),
  }
  const request = { id: 'req_1', url, routeOptions: { url }, raw: { complete: true } }
  const handle = createErrorHandler(
    (...line) => logged.push(line),
    (_request, noticed) => noted.push(noticed),
  )
  handle(error, request as unknown as FastifyRequest, reply as unknown as FastifyReply)
  return { ...seen, noted: noted.map(({ errorName }) => errorName), logged }
}

describe('an error of ours', () => {
  it('is told without a word of what it was, is counted for its caller, and logged', () => {
    const { status, body, noted, logged } = answered(new Error('the secret of +15550001'))
    assert.equal(status, 500)
    assert.ok(!JSON.stringify(body).includes('secret'))
    assert.equal(body.request_id, 'req_1')
    assert.deepEqual(noted, ['InternalError'])
    assert.equal(logged.length, 1)
  })
})

describe('a refusal', () => {
  it('says when to come back wherever that helps, and how to say who one is', () => {
    const busy = answered(new AppError('UnavailableError', 'Busy.'))
    assert.deepEqual([busy.status, busy.headers['retry-after']], [503, 1])
    const later = answered(new AppError('UnavailableError', 'Busy.', { retry_after: 7 }))
    assert.equal(later.headers['retry-after'], 7)
    const nobody = new AppError('Unauthorized', 'Who?')
    assert.equal(answered(nobody).headers['www-authenticate'], 'Bearer')
    assert.match(String(answered(nobody, '/twilio/v2/Services').headers['www-authenticate']), /^Basic /)
    const { headers, noted, logged } = answered(new AppError('ForbiddenError', 'No.'))
    assert.deepEqual([headers, noted, logged], [{}, ['ForbiddenError'], []])
  })

  it('is kept with at most 500 characters of what was said', () => {
    const { message } = errorRecordOf(operations.send, new AppError('ForbiddenError', 'x'.repeat(2_000)))
    assert.equal(message.length, 500)
  })
})
