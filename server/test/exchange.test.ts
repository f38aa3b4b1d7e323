/** A token proves its recipient once, to the first server key that exchanges it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  createApp,
  createKey,
  createTenant,
  freshEmail,
  freshPhone,
  message,
  resend,
  send,
  started,
  until,
  verify,
} from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { dumpRows } from './harness/records.ts'
import { startTwoNodeService } from './harness/service.ts'

const { database, nodes, close } = await startTwoNodeService()
after(close)
const tenant = await createTenant(nodes[0])

const exchange = (token: unknown, key = tenant.serverKey, node = nodes[0]) =>
  node.call('POST', '/api/v1/verifications/exchange', { key, body: { verification_token: token } })

async function newToken(recipient = freshPhone()) {
  const { otpId, code } = await started(nodes[0], tenant.serverKey, recipient)
  const { body } = await verify(nodes[0], tenant.publishableKey, otpId, code)
  return { otpId, code, recipient, token: body.verification_token as string, verifiedAt: body.verified_at }
}

/** Everything by which a caller could tell two answers apart. */
const seen = ({ status, body, headers }: Answer) => ({
  status,
  body: { ...body, request_id: null },
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
})
const unknownToken = `otp_vt_${'7'.repeat(52)}`

test('a token proves the recipient in full, the channel and the time of the right code', async () => {
  for (const [recipient, type, channel] of [
    [freshPhone(), 'phone', 'sms'],
    // As it was written, not in its canonical form.
    ['Some.One+news@gmail.com', 'email', 'email'],
    [freshEmail(), 'email', 'email'],
  ] as const) {
    const { token, otpId, verifiedAt } = await newToken(recipient)
    const answer = await exchange(token)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
      otp_id: otpId,
      recipient,
      recipient_type: type,
      channel,
      verified_at: verifiedAt,
    })
  }
})

test('a token gives the recipient back as it was sent, while the message goes to its address', async () => {
  const written = 'Jü.Person@Bücher.EXAMPLE'
  const sent = await send(nodes[0], tenant.serverKey, { recipient: written })
  assert.equal(sent.body.masked_recipient, 'J****@xn--bcher-kva.example')
  const { code } = await message(nodes[0], 'Jü.Person@xn--bcher-kva.example')
  const { body } = await verify(nodes[0], tenant.publishableKey, sent.body.otp_id, code)
  assert.equal((await exchange(body.verification_token)).body.recipient, written)
})

test('the channel of the proof is the one that the code was delivered on', async () => {
  const recipient = freshPhone()
  const { otpId } = await started(nodes[0], tenant.serverKey, recipient)
  await resend(nodes[0], tenant.serverKey, otpId, 'telegram')
  const { code } = await until('the code', () => nodes[0].capture.to(recipient, 'telegram')[0])
  const { body } = await verify(nodes[0], tenant.publishableKey, otpId, code)
  assert.equal((await exchange(body.verification_token)).body.channel, 'telegram')
})

test('a token is otp_vt_ and 256 bits, short enough, and another for every verification', async () => {
  const tokens = [(await newToken()).token, (await newToken()).token]
  for (const token of tokens) {
    assert.match(token, /^otp_vt_[0-9a-hjkmnp-tv-z]{52}$/)
    assert.ok(token.length <= 128)
  }
  assert.notEqual(tokens[0], tokens[1])
})

test('parallel exchanges with one key, on both nodes, and later ones all get the same result', async () => {
  const { token } = await newToken()
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      exchange(token, tenant.serverKey, nodes[index % 2 === 0 ? 0 : 1]),
    ),
  )
  for (const { status, body } of [...answers, await exchange(token)]) {
    assert.equal(status, 200)
    assert.deepEqual(body, answers[0]?.body)
  }
})

test('parallel exchanges with ten keys: one key gets the proof, again and again, the others 404', async () => {
  const keys = await Promise.all(
    Array.from({ length: 10 }, () => createKey(nodes[0], tenant.appId, 'server')),
  )
  const { token } = await newToken()
  const answers = await Promise.all(
    keys.flatMap((key) => [exchange(token, key, nodes[0]), exchange(token, key, nodes[1])]),
  )
  const winners = keys.filter((_, index) => answers[index * 2]?.status === 200)
  assert.equal(winners.length, 1)
  for (const [index, answer] of answers.entries()) {
    assert.equal(answer.status, keys[Math.floor(index / 2)] === winners[0] ? 200 : 404)
  }
})

test('another key’s, expired, unknown, malformed and foreign tokens get one and the same answer', async () => {
  const unknown = seen(await exchange(unknownToken))
  assert.equal(unknown.status, 404)
  assert.equal(unknown.body.error.type, 'HTTPException')

  const taken = await newToken()
  assert.equal((await exchange(taken.token)).status, 200)
  const otherKey = await createKey(nodes[0], tenant.appId, 'server')
  assert.deepEqual(seen(await exchange(taken.token, otherKey)), unknown)
  assert.deepEqual(seen(await exchange(taken.token, otherKey, nodes[1])), unknown)

  const fresh = await newToken()
  const sisterApp = await createApp(nodes[0], tenant.companyId)
  const stranger = await createTenant(nodes[0])
  assert.deepEqual(seen(await exchange(fresh.token, sisterApp.serverKey)), unknown)
  assert.deepEqual(seen(await exchange(fresh.token, stranger.serverKey)), unknown)
  for (const damaged of [
    fresh.token.slice(0, -1),
    `${fresh.token}0`,
    fresh.token.toUpperCase().replace('OTP_VT_', 'otp_vt_'),
  ]) {
    assert.deepEqual(seen(await exchange(damaged)), unknown)
  }
  assert.deepEqual(seen(await exchange('otp_vt_')), unknown)
  assert.deepEqual(seen(await exchange(`otp_vt_${'\u0000'.repeat(20)}`)), unknown)
  assert.equal((await exchange(fresh.token)).status, 200, 'strangers must not use a token up')

  await database.query("update tokens set expires_at = now() - interval '1 second' where otp_id = $1", [
    fresh.otpId,
  ])
  assert.deepEqual(seen(await exchange(fresh.token)), unknown)
})

test('a token is good for the time that the app says, from the right code on', async () => {
  const brief = await createTenant(nodes[0], { token_ttl_s: 90 })
  const { otpId, code } = await started(nodes[0], brief.serverKey, freshPhone())
  await verify(nodes[0], brief.publishableKey, otpId, code)
  const [token] = await database.query<{ seconds: number }>(
    `select extract(epoch from t.expires_at - v.verified_at)::float8 as seconds
       from tokens t join verifications v using (company_id, app_id, otp_id) where v.otp_id = $1`,
    [otpId],
  )
  assert.equal(token?.seconds, 90)
})

test('a token of an erased recipient is unknown', async () => {
  const { token, recipient } = await newToken()
  const erased = await nodes[0].manage('POST', `/companies/${tenant.companyId}/erasures`, { recipient })
  assert.equal(erased.status, 200)
  assert.deepEqual(seen(await exchange(token)), seen(await exchange(unknownToken)))
})

test('a revoked key exchanges nothing, its own tokens included, and is refused like no key at all', async () => {
  const made = await nodes[0].manage('POST', `/apps/${tenant.appId}/keys`, { kind: 'server' })
  const { token } = await newToken()
  assert.equal((await exchange(token, made.body.key)).status, 200)
  assert.equal((await nodes[0].manage('DELETE', `/keys/${made.body.key_id}`)).status, 200)
  const refused = seen(await exchange(token, made.body.key))
  assert.equal(refused.status, 401)
  assert.equal(refused.body.error.type, 'HTTPException')
  assert.deepEqual(seen(await exchange(unknownToken, made.body.key)), refused)
  assert.deepEqual(seen(await exchange(token)), seen(await exchange(unknownToken)))
})

test('a publishable key is refused, whether or not the token is good, and uses nothing up', async () => {
  const { token } = await newToken()
  const refused = await exchange(token, tenant.publishableKey)
  assert.equal(refused.status, 401)
  assert.equal(refused.body.error.type, 'HTTPException')
  assert.deepEqual(seen(await exchange(unknownToken, tenant.publishableKey)), seen(refused))
  assert.equal((await exchange(token)).status, 200)
})

test('a token is good for nothing but the exchange', async () => {
  const { token, otpId, code } = await newToken()
  assert.equal((await nodes[0].call('GET', `/api/v1/otp/${otpId}`, { key: token })).status, 401)
  assert.equal((await nodes[0].call('GET', `/api/v1/otp/${token}`, { key: tenant.serverKey })).status, 404)
  assert.equal((await verify(nodes[0], token, otpId, code)).status, 401)
  assert.equal((await exchange(token, token)).status, 401)
  assert.equal((await nodes[0].manage('GET', `/companies/${tenant.companyId}`)).status, 200)
  assert.equal(
    (await nodes[0].call('GET', `/manage/v1/companies/${tenant.companyId}`, { key: token })).status,
    401,
  )
})

test('what is no token at all is a malformed body', async () => {
  const post = (body: unknown) =>
    nodes[0].call('POST', '/api/v1/verifications/exchange', { key: tenant.serverKey, body })
  const { token } = await newToken()
  for (const body of [
    {},
    '[]',
    'null',
    { verification_token: null },
    { verification_token: 7 },
    { verification_token: [token] },
    { verification_token: token.slice(7) },
    { verification_token: ` ${token}` },
    { verification_token: `otp_vt_${'0'.repeat(122)}` },
    { verification_token: token, otp_id: 'x' },
  ]) {
    const answer = await post(body)
    assert.equal(answer.status, 422, JSON.stringify(body))
    assert.equal(answer.body.error.type, 'ValidationError')
  }
  assert.equal((await post({ verification_token: `otp_vt_${'0'.repeat(121)}` })).status, 404)
})

test('the database holds no token, only its hash', async () => {
  const { token } = await newToken()
  await exchange(token)
  const secret = token.slice('otp_vt_'.length)
  for (const { table, row } of await dumpRows(database)) {
    assert.ok(!row.includes(secret) && !row.includes(Buffer.from(secret).toString('hex')), table)
  }
})

test('a verification approved with a server key, or not approved, has no token to exchange', async () => {
  const { otpId, code } = await started(nodes[0], tenant.serverKey)
  assert.equal((await verify(nodes[0], tenant.serverKey, otpId, code)).body.verification_token, null)
  const pending = await started(nodes[0], tenant.serverKey)
  const tokens = await database.query('select 1 from tokens where otp_id = any($1)', [[otpId, pending.otpId]])
  assert.equal(tokens.length, 0)
})
