/** The timeline of a verification for which wrong codes were entered. */

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, started, verify, wrongCode } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'
import { sentDelivery, show } from './insight-story-support.ts'

const { node, close } = await startService()
after(close)

describe('the story of wrong codes', () => {
  it('ends with a failure, whose time is that of the last wrong code; each wrong code has its time', async () => {
    const { serverKey } = await createTenant(node, { max_verify_attempts: 3 })
    const { otpId, code } = await started(node, serverKey)
    await sentDelivery(node, serverKey, otpId)
    for (let guess = 0; guess < 3; guess++) await verify(node, serverKey, otpId, wrongCode(code))
    const seen = await show(node, otpId)
    assert.deepEqual(seen.kinds.slice(3), ['wrong_code', 'wrong_code', 'wrong_code', 'failed', 'event'])
    assert.equal(seen.timeline[5]?.text, 'A wrong code was entered. No attempts are left.')
    assert.equal(seen.timeline[6]?.text, 'Failed. All 3 attempts were used.')
    assert.equal(seen.timeline[6]?.at, seen.timeline[5]?.at)
    assert.deepEqual(
      seen.events.map(({ type, status: state }) => [type, state]),
      [['otp.failed', 'skipped']],
    )
  })

  it('has as many times as attempts were spent, though two hundred wrong codes come at once', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId, code } = await started(node, serverKey)
    await Promise.all(Array.from({ length: 200 }, () => verify(node, serverKey, otpId, wrongCode(code))))
    const seen = await show(node, otpId)
    assert.equal(seen.kinds.filter((kind) => kind === 'wrong_code').length, 5)
    assert.equal(seen.kinds.filter((kind) => kind === 'failed').length, 1)
    assert.equal(seen.kinds.filter((kind) => kind === 'event').length, 1)
    assert.equal(seen.attempts_remaining, 0)
  })

  it('tells a wrong code after the approval from one before', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId, code } = await started(node, serverKey)
    await sentDelivery(node, serverKey, otpId)
    await verify(node, serverKey, otpId, code)
    await verify(node, serverKey, otpId, wrongCode(code))
    const { timeline, kinds, events } = await show(node, otpId)
    assert.deepEqual(kinds.slice(3), ['approved', 'event', 'wrong_code'])
    assert.equal(timeline.at(-1)?.text, 'A wrong code was entered after the approval. 4 attempts are left.')
    assert.equal(events.length, 1)
  })
})
