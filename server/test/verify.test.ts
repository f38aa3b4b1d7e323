/** What a guess may do, and what it never does. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '@countersign/contract'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createKey,
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  status,
  type Tenant,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { attemptsSpent, dumpRows, eventTypes } from './harness/records.ts'

let database: TestDatabase
let node: Node
let tenant: Tenant

before(async () => {
  database = await createTestDatabase()
  node = await startNode(database.url)
  tenant = await createTenant(node)
})
after(async () => {
  await node?.close()
  await database?.close()
})

const guess = (otpId: string, code: unknown, key = tenant.serverKey) => verify(node, key, otpId, code)

function assertNotPending(answer: Awaited<ReturnType<typeof guess>>, otpStatus: string): void {
  assert.equal(answer.status, 409, JSON.stringify(answer.body))
  assert.equal(answer.body.error.type, 'OtpNotPendingError')
  assert.deepEqual(answer.body.error.details, { otp_status: otpStatus })
}

test('a wrong code is an answer with the attempts left, and the last one is failed', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  for (const left of [4, 3, 2, 1, 0]) {
    const answer = await guess(otpId, wrongCode(code))
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
      otp_id: otpId,
      status: left > 0 ? 'pending' : 'failed',
      matched: false,
      channel: 'sms',
      attempts_remaining: left,
      verified_at: null,
      verification_token: null,
    })
  }
  assertNotPending(await guess(otpId, code), 'failed')
  assertNotPending(await resend(node, tenant.serverKey, otpId), 'failed')
  assert.deepEqual(await eventTypes(database, otpId), ['otp.failed'])
})

test('the right code approves once: a token for a publishable key, none for a server key', async () => {
  for (const key of [tenant.serverKey, tenant.publishableKey]) {
    const { otpId, code } = await started(node, tenant.serverKey)
    const { body } = await guess(otpId, code, key)
    assert.deepEqual(
      { ...body, verified_at: null, verification_token: null },
      {
        otp_id: otpId,
        status: 'approved',
        matched: true,
        channel: 'sms',
        attempts_remaining: 5,
        verified_at: null,
        verification_token: null,
      },
    )
    assert.match(body.verified_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    if (key === tenant.serverKey) assert.equal(body.verification_token, null)
    else assert.match(body.verification_token, /^otp_vt_[0-9a-z]{52}$/)
    assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
  }
})

test('a cap of N lets the N-th attempt succeed', async () => {
  for (let cap = 1; cap <= 10; cap++) {
    const { serverKey } = await createTenant(node, { max_verify_attempts: cap })
    const { otpId, code } = await started(node, serverKey)
    for (let wrong = 1; wrong < cap; wrong++) {
      assert.equal((await guess(otpId, wrongCode(code), serverKey)).body.status, 'pending')
    }
    const answer = await guess(otpId, code, serverKey)
    assert.equal(answer.body.status, 'approved')
    assert.equal(answer.body.attempts_remaining, 1)
  }
})

test('no resend, channel change or new send refills the attempts', async () => {
  const { otpId, code, recipient } = await started(node, tenant.serverKey)
  await guess(otpId, wrongCode(code))
  await guess(otpId, wrongCode(code))
  for (const channel of [undefined, 'sms', 'telegram', 'whatsapp']) {
    assert.equal((await resend(node, tenant.serverKey, otpId, channel)).status, 200)
    assert.equal((await status(node, tenant.serverKey, otpId)).body.attempts_remaining, 3)
  }
  assert.equal((await send(node, tenant.serverKey, { recipient })).status, 200)
  const newest = (await message(node, recipient, 4)).code
  assert.deepEqual(
    [(await guess(otpId, wrongCode(newest))).body, (await guess(otpId, wrongCode(newest))).body].map(
      (body) => body.attempts_remaining,
    ),
    [2, 1],
  )
  assert.equal((await guess(otpId, wrongCode(newest))).body.status, 'failed')
})

test('a plain resend issues the same code again; a named channel makes a fresh one, and only that counts', async () => {
  const { otpId, code, recipient } = await started(node, tenant.serverKey)
  await resend(node, tenant.serverKey, otpId)
  assert.equal((await message(node, recipient, 1)).code, code)
  await resend(node, tenant.serverKey, otpId, 'sms')
  const fresh = (await message(node, recipient, 2)).code
  if (fresh !== code) assert.equal((await guess(otpId, code)).body.matched, false)
  assert.equal((await guess(otpId, fresh)).body.matched, true)
})

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

test('a code is worth nothing from the instant its life is over, and the attempt costs nothing', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  await database.query(
    "update verifications set expires_at = clock_timestamp() + interval '300 milliseconds' where otp_id = $1",
    [otpId],
  )
  await until(
    'expiry, which no job has to bring about',
    async () => (await status(node, tenant.serverKey, otpId)).body.status === 'expired',
    2_000,
  )
  assertNotPending(await guess(otpId, code), 'expired')
  assertNotPending(await guess(otpId, wrongCode(code)), 'expired')
  assertNotPending(await resend(node, tenant.serverKey, otpId), 'expired')
  assertNotPending(await resend(node, tenant.serverKey, otpId, 'sms'), 'expired')
  assert.equal(await attemptsSpent(database, otpId), 0)
  assert.deepEqual(await eventTypes(database, otpId), [])
})

test('a plain resend does not prolong a code’s life; a fresh code has its own', async () => {
  const { otpId } = await started(node, tenant.serverKey)
  const expiresAt = async () => Date.parse((await status(node, tenant.serverKey, otpId)).body.expires_at)
  await database.query(
    "update verifications set expires_at = expires_at - interval '300 seconds' where otp_id = $1",
    [otpId],
  )
  const first = await expiresAt()
  await resend(node, tenant.serverKey, otpId)
  assert.equal(await expiresAt(), first)
  await resend(node, tenant.serverKey, otpId, 'sms')
  assert.ok((await expiresAt()) - first >= 299_000)
})

test('the right code again from the same key is answered the same, and nothing happens twice', async () => {
  for (const key of [tenant.serverKey, tenant.publishableKey]) {
    const { otpId, code } = await started(node, tenant.serverKey)
    const first = await guess(otpId, code, key)
    for (let again = 0; again < 3; again++) assert.deepEqual((await guess(otpId, code, key)).body, first.body)
    assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
    assert.equal(await attemptsSpent(database, otpId), 0)
  }
})

test('after approval another key, of either kind, gets 409 and no token', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  await guess(otpId, code, tenant.publishableKey)
  for (const key of [
    tenant.serverKey,
    await createKey(node, tenant.appId, 'server'),
    await createKey(node, tenant.appId, 'publishable'),
  ]) {
    assertNotPending(await guess(otpId, code, key), 'approved')
  }
})

test('after approval a wrong code is 409 and spends; once spent, the right one gets 409 and no token', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  await guess(otpId, code, tenant.publishableKey)
  for (const spent of [1, 2, 3, 4]) {
    assertNotPending(await guess(otpId, wrongCode(code), tenant.publishableKey), 'approved')
    assert.equal(await attemptsSpent(database, otpId), spent)
    assert.equal((await guess(otpId, code, tenant.publishableKey)).body.attempts_remaining, 5 - spent)
  }
  assertNotPending(await guess(otpId, wrongCode(code), tenant.publishableKey), 'approved')
  assertNotPending(await guess(otpId, code, tenant.publishableKey), 'approved')
  assertNotPending(await guess(otpId, wrongCode(code), tenant.publishableKey), 'approved')
  assert.equal(await attemptsSpent(database, otpId), 5)
  assert.equal((await status(node, tenant.serverKey, otpId)).body.status, 'approved')
  assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
})

test('a repeat of the right code ends with the token’s lifetime', async () => {
  const { otpId, code } = await started(node, tenant.serverKey)
  await guess(otpId, code, tenant.publishableKey)
  await database.query(
    "update verifications set replay_until = now() - interval '1 second' where otp_id = $1",
    [otpId],
  )
  assertNotPending(await guess(otpId, code, tenant.publishableKey), 'approved')
})

test('no GET changes anything: fetching every address that we emit leaves a verification pending', async () => {
  const linkSettings = { routing: { default: ['whatsapp', 'sms'] } }
  const tenants = [
    tenant,
    await createTenant(node, { ...linkSettings, channels: { whatsapp: { mode: 'link_code' } } }),
    await createTenant(node, { ...linkSettings, channels: { whatsapp: { mode: 'link_inbound' } } }),
  ]
  const otpIds: string[] = []
  const urls = new Set(['/', '/docs', '/healthz', '/readyz', '/metrics', '/api/v1/openapi.json'])
  for (const { serverKey, companyId, appId } of tenants) {
    const recipient = freshPhone()
    const { body } = await send(node, serverKey, { recipient })
    otpIds.push(body.otp_id)
    if (body.action_url) {
      const { pathname, search } = new URL(body.action_url)
      urls.add(pathname + search).add(`/hooks/capture-whatsapp${search}`)
    } else {
      const { callbackUrl, text, html } = await message(node, recipient)
      for (const url of [callbackUrl, ...(`${text} ${html}`.match(/https?:[^\s"<>]+/g) ?? [])]) {
        urls.add(new URL(url).pathname)
      }
    }
    const ids: Record<string, string> = { otp_id: body.otp_id, company_id: companyId, app_id: appId }
    for (const { path } of Object.values(operations)) {
      urls.add(path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'none'))
    }
  }
  await until('all to be sent', async () => {
    const queued = await database.query("select 1 from deliveries where status = 'queued'")
    return queued.length === 0
  })
  const seen = await dumpRows(database)
  for (const path of urls) {
    for (const key of [undefined, tenants[1]?.serverKey, tenants[2]?.publishableKey]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) await node.call(method, path, key ? { key } : {})
    }
    await node.manage('GET', path.replace(/^\/manage\/v1/, ''))
  }
  assert.deepEqual(await dumpRows(database), seen)
  for (const [index, otpId] of otpIds.entries()) {
    const answer = await status(node, tenants[index]?.serverKey ?? '', otpId)
    assert.equal(answer.body.status, 'pending')
  }
})
