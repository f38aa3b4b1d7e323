/** Input that is no code is refused at once: it is never judged, and never causes an internal error. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTenant, started, verify } from './harness/fixtures.ts'
import { attemptsSpent } from './harness/records.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)
const tenant = await createTenant(node)

const guess = (otpId: string, code: unknown, key = tenant.serverKey) => verify(node, key, otpId, code)

test('what is not a code of that verification’s length is refused and spends no attempt', async () => {
  const malformed: [string, unknown][] = [
    ['a number', 123456],
    ['a fraction', 1234.5],
    ['true', true],
    ['null', null],
    ['nothing', undefined],
    ['an object', { $ne: '' }],
    ['an array', ['123456']],
    ['an empty string', ''],
    ['spaces inside', '123 456'],
    ['spaces around', ' 123456 '],
    ['a line end', '123456\n'],
    ['a dash', '123-456'],
    ['a leading plus', '+123456'],
    ['a leading minus', '-12345'],
    ['an exponent', '1e5000'],
    ['hexadecimal', '0x1234'],
    ['full-width digits', '１２３４５６'],
    ['Arabic digits', '١٢٣٤٥٦'],
    ['a NUL', '12345\u0000'],
    ['a NUL after a code', '123456\u0000'],
    ['ten thousand digits', '1'.repeat(10_000)],
    ...[1, 3, 4, 5, 7, 8, 9].map((length): [string, string] => [`${length} digits`, '1'.repeat(length)]),
  ]
  const { otpId, code } = await started(node, tenant.serverKey)
  for (const key of [tenant.serverKey, tenant.publishableKey]) {
    for (const [what, value] of malformed) {
      const answer = await guess(otpId, value, key)
      assert.equal(answer.status, 422, what)
      assert.equal(answer.body.error.type, 'ValidationError', what)
      assert.equal(answer.body.error.details.fields[0].path, 'code', what)
    }
  }
  assert.equal(await attemptsSpent(database, otpId), 0)
  assert.equal((await guess(otpId, code)).body.matched, true)
  assert.equal((await guess(otpId, '1'.repeat(8))).status, 422)
  assert.equal(await attemptsSpent(database, otpId), 0)
})

test('a body of any other shape is refused, never an error of ours', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  const post = (body: unknown) => node.call('POST', '/api/v1/otp/verify', { key: tenant.serverKey, body })
  for (const body of [
    'null',
    '[]',
    '"text"',
    '',
    '{',
    '\u0000',
    {},
    { otp_id: otpId },
    { otp_id: 7, code },
    { otp_id: [otpId], code },
    { otp_id: otpId, code, channel: 'sms' },
    { otp_id: otpId.repeat(100), code },
  ]) {
    const answer = await post(body)
    assert.equal(answer.status, 422, JSON.stringify(body))
    assert.equal(answer.body.error.type, 'ValidationError')
  }
  for (const unknown of ['x', `${otpId}x`, otpId.toUpperCase(), `${otpId}\u0000`, "otp_' or 1=1 --"]) {
    const answer = await post({ otp_id: unknown, code })
    assert.equal(answer.status, 404, unknown)
    assert.equal(answer.body.error.type, 'OtpNotFoundError')
  }
  assert.equal(await attemptsSpent(database, otpId), 0)
})
