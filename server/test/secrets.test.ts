/** A known person, code, key and token go through everything, and are then searched for where they must not be. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import {
  createApp,
  createKey,
  createTenant,
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
import { type Answer, adminToken, type Node, startNode } from './harness/node.ts'
import { dumpRows, settle } from './harness/records.ts'
import { closeAll } from './harness/two-nodes.ts'
import { assertAbsent, assertNoCode } from './secrets-support.ts'

const phone = '+447911123987'
const email = 'canary.person@example.com'
let database: TestDatabase
let node: Node
let tenant: Tenant
/** Every answer of the service in full, except the two that may contain a secret: a new key and the exchange. */
const heard: string[] = []

before(async () => {
  database = await createTestDatabase()
  node = await startNode(database.url)
  // Eight digits, long enough not to occur by chance.
  tenant = await createTenant(node, { code_length: 8, max_sends: 10 })
})
after(async () => {
  await closeAll([node, database])
})

function hear(answer: Answer): Answer {
  heard.push(JSON.stringify([...answer.headers]), JSON.stringify(answer.body))
  return answer
}

async function assertNowhere(
  recipients: readonly string[],
  codes: readonly string[],
  secrets: readonly string[],
): Promise<void> {
  await settle(database)
  const places: [string, string][] = [
    ...(await dumpRows(database)).map(({ table, row }): [string, string] => [`table ${table}`, row]),
    ...node.logged.map((line): [string, string] => ['the log', JSON.stringify(line)]),
    ...heard.map((text): [string, string] => ['an answer', text]),
    ['the metrics', (await node.call('GET', '/metrics')).body],
  ]
  assert.ok(places.length > 20)
  for (const [where, text] of places) {
    for (const recipient of recipients) {
      assertAbsent(where, text, recipient, true)
      // Without the plus, or the local part alone, is as bad as the whole.
      assertAbsent(where, text, recipient.replace(/^\+|@.*$/g, ''), true)
    }
    for (const code of codes) assertNoCode(where, text, code)
    for (const secret of secrets) assertAbsent(where, text, secret, false)
  }
}

test('person, code, key, token and idempotency key are found nowhere after a whole life of a verification', async () => {
  const codes: string[] = []
  const tokens: string[] = []
  for (const recipient of [phone, email]) {
    const idempotencyKey = `order for ${recipient}`
    const sent = hear(
      await send(
        node,
        tenant.serverKey,
        { recipient, client_ip: '81.2.69.160' },
        { 'idempotency-key': idempotencyKey },
      ),
    )
    hear(await send(node, tenant.serverKey, { recipient }, { 'idempotency-key': idempotencyKey }))
    const otpId: string = sent.body.otp_id
    codes.push((await message(node, recipient)).code)
    hear(await resend(node, tenant.serverKey, otpId))
    await message(node, recipient, 1)
    hear(await resend(node, tenant.serverKey, otpId, recipient === email ? 'email' : 'telegram'))
    const { code } = await message(node, recipient, 2)
    codes.push(code)
    hear(await verify(node, tenant.publishableKey, otpId, wrongCode(code)))
    const approved = await verify(node, tenant.publishableKey, otpId, code)
    tokens.push(approved.body.verification_token)
    hear({ ...approved, body: { ...approved.body, verification_token: null } })
    for (const key of [tenant.serverKey, tenant.publishableKey]) hear(await status(node, key, otpId))
    hear(await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key: tenant.serverKey }))
    hear(await node.call('POST', '/api/v1/routing/preview', { key: tenant.serverKey, body: { recipient } }))
    const proof = { verification_token: approved.body.verification_token }
    const exchanged = await node.call('POST', '/api/v1/verifications/exchange', {
      key: tenant.serverKey,
      body: proof,
    })
    assert.equal(exchanged.body.recipient, recipient)
    // A second verification, which fails.
    const lost = await started(node, tenant.serverKey, recipient)
    codes.push(lost.code)
    for (let guess = 0; guess < 6; guess++) {
      hear(await verify(node, tenant.serverKey, lost.otpId, wrongCode(lost.code)))
    }
  }
  hear(await node.manage('GET', `/companies/${tenant.companyId}/ledger`))
  hear(await node.manage('GET', `/apps/${tenant.appId}/keys`))
  const secrets = [
    tenant.serverKey,
    tenant.publishableKey,
    adminToken,
    ...tokens,
    ...tokens.map((token) => token.slice(7)),
  ]
  await assertNowhere([phone, email], codes, [...secrets, `order for ${phone}`, `order for ${email}`])
})

test('a refusal repeats neither the person nor the code nor the key that it was given', async () => {
  const { otpId, code } = await started(node, tenant.serverKey, phone)
  const { serverKey: key } = tenant
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    hear(await node.call('POST', `/api/v1${path}`, { key, body, headers }))
  for (const refused of [
    await post('/otp/send', { recipient: `${phone}x` }),
    await post('/otp/send', { recipient: ` ${email}` }),
    await post('/otp/send', { recipient: [phone] }),
    await post('/otp/send', { recipient: phone, client_ip: phone }),
    await post('/otp/send', { recipient: phone, locale: phone }),
    await post('/otp/send', { recipient: phone, channel: email }),
    await post('/otp/send', { recipient: phone }, { 'idempotency-key': phone.repeat(20) }),
    await post('/otp/send', `{"recipient":"${phone}"`),
    await post('/otp/resend', { otp_id: phone }),
    await post('/otp/resend', { otp_id: otpId, channel: phone }),
    await post('/otp/verify', { otp_id: email, code }),
    await post('/otp/verify', { otp_id: otpId, code: `${code} ` }),
    await post('/otp/verify', { otp_id: otpId, code: Number(code) }),
    await post('/verifications/exchange', { verification_token: phone }),
    await post(`/otp/${encodeURIComponent(phone)}`, {}),
    hear(await node.call('GET', `/api/v1/otp/${encodeURIComponent(email)}`, { key })),
    hear(await node.call('GET', `/${phone}/${email}/${code}`, { key })),
    hear(await node.call('GET', `/api/v1/otp/${otpId}`, { key: phone })),
    hear(
      await node.call('POST', `/hooks/${encodeURIComponent(phone)}`, { body: { from: phone, text: code } }),
    ),
  ]) {
    assert.ok(refused.status >= 400 && refused.status < 500, JSON.stringify(refused.body))
  }
  // The recipient can be searched for by those who know it, and is shown to nobody.
  for (const recipient of [phone, email]) {
    const { body } = hear(
      await node.manage('POST', `/companies/${tenant.companyId}/search`, { recipient: ` ${recipient} ` }),
    )
    assert.ok(body.verifications.length > 0, 'the search finds what was sent')
  }
  await until('the record of refusals to be among what is searched', async () => {
    const { body } = hear(await node.manage('GET', `/apps/${tenant.appId}/refusals`))
    return body.refusals.length >= 2
  })
  await assertNowhere([phone, email], [code], [key])
})

test('person and code are found nowhere after a verification through Twilio’s client either', async () => {
  const { body: app } = await node.manage('GET', `/apps/${tenant.appId}`)
  const headers = {
    authorization: `Basic ${Buffer.from(`${phone}:${tenant.serverKey}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const service = `/twilio/v2/Services/${app.twilio_service_sid}`
  const call = (method: string, path: string, fields?: Record<string, string>) =>
    node.call(method, path, {
      headers,
      ...(fields === undefined ? {} : { body: new URLSearchParams(fields).toString() }),
    })
  const recipient = '+447911123986'
  const [to, address] = [recipient, 'canary.other@example.com'].map(encodeURIComponent)
  const made = await call('POST', `${service}/Verifications`, { To: recipient, Channel: 'sms' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { code } = await message(node, recipient)
  const check = (guess: string, fields: Record<string, string>) =>
    call('POST', `${service}/VerificationCheck`, { Code: guess, ...fields })
  // Only refusals are searched: other answers go to whoever named the person.
  for (const refused of [
    await call('POST', `${service}/Verifications`, { To: `${recipient}x`, Channel: 'sms' }),
    await call('POST', `${service}/Verifications`, { To: recipient, Channel: recipient }),
    await call('POST', `${service}/Verifications`, { To: recipient, Channel: 'sms', Locale: recipient }),
    await call('POST', `${service}/Verifications`, { To: recipient, Channel: 'sms', CustomCode: code }),
    await call('POST', `${service}/Verifications/${to}`, { Status: code }),
    await check(`${code} `, { To: recipient }),
    await call('GET', `${service}/Verifications/${address}?Code=${code}`),
    await call('GET', `/twilio/v2/Services/${to}`),
    await call('GET', `/twilio/v2/Attempts/${address}`),
    await check(code, { To: recipient, VerificationSid: `VE${'0'.repeat(32)}` }),
    await check(code, { To: '+447911123985' }),
  ]) {
    assert.ok(refused.status >= 400 && refused.status < 500, JSON.stringify(hear(refused).body))
  }
  assert.equal((await check(wrongCode(code), { To: recipient })).body.valid, false)
  for (const named of [made.body.sid, to])
    assert.equal((await call('GET', `${service}/Verifications/${named}`)).status, 200)
  assert.equal((await call('GET', `/twilio/v2/Attempts?ChannelData.To=${to}`)).status, 200)
  assert.equal((await check(code, { To: recipient })).body.valid, true)
  await until('the errors to be among what is searched', async () => {
    const { body } = hear(await node.manage('GET', `/apps/${tenant.appId}/errors`))
    return body.errors.some(({ endpoint }: { endpoint: string }) => endpoint.includes('/twilio/'))
  })
  await assertNowhere([recipient, 'canary.other@example.com', phone], [code], [tenant.serverKey])
})

test('a provider account that throws with the person in its error leaves no trace of them', async () => {
  const recipient = '+447911123988'
  node.capture.answerWith((outgoing) => {
    if (outgoing.recipient !== recipient) return { kind: 'accepted', messageId: null }
    throw new Error(`cannot reach ${outgoing.recipient} with ${outgoing.text}`)
  })
  const { body } = hear(await send(node, tenant.serverKey, { recipient }))
  await until('the attempt', () => node.logged.find((line) => line.message === 'a provider account threw'))
  hear(await status(node, tenant.serverKey, body.otp_id))
  node.capture.answerWith(null)
  await assertNowhere([recipient], [], [])
})

test('a WhatsApp message’s id, which spells the number in base64, is not kept as it came', async () => {
  const recipient = '+447911123989'
  const link = await createTenant(node, {
    routing: { default: ['whatsapp'] },
    channels: { whatsapp: { mode: 'link_code' } },
  })
  // Ids as the Cloud API writes them: a few bytes, the digits of the person's number, then a unique part.
  const idOf = (text: string) =>
    `wamid.${Buffer.from(`\x1c\x18\x0c${recipient.slice(1)}\x15\x02\x00${text}`).toString('base64')}`
  node.capture.answerWith(() => ({ kind: 'accepted', messageId: idOf('ours') }))
  const { body } = await send(node, link.serverKey, { recipient })
  const text = new URL(body.action_url).searchParams.get('text')
  await node.call('POST', '/hooks/capture-whatsapp', {
    body: { messageId: idOf('theirs'), from: recipient, text },
  })
  assert.equal((await message(node, recipient)).inReplyTo, idOf('theirs'))
  node.capture.answerWith(null)
  await assertNowhere([recipient], [], [])
})

test('an erased person is found nowhere, not even masked', async () => {
  const recipient = 'zebra@erased.example.org'
  const key = await createKey(node, tenant.appId, 'server')
  const { otpId } = await started(node, key, recipient)
  const phones = await createApp(node, tenant.companyId, { routing: { default: ['sms'] } })
  assert.equal((await send(node, phones.serverKey, { recipient, client_ip: '81.2.69.160' })).status, 409)
  await until('the refusal to be written', async () => {
    const { body } = await node.manage('GET', `/apps/${phones.appId}/refusals`)
    return body.refusals.length === 1
  })
  const erased = await node.manage('POST', `/companies/${tenant.companyId}/erasures`, { recipient })
  assert.deepEqual(erased.body, { verifications: 1 })
  await settle(database)
  for (const { table, row } of await dumpRows(database)) {
    assert.ok(!row.includes('erased.example.org'), `table ${table}: ${row}`)
  }
  assert.equal((await status(node, key, otpId)).body.masked_recipient, '****')
  const [refusal] = (await node.manage('GET', `/apps/${phones.appId}/refusals`)).body.refusals
  assert.deepEqual([refusal.masked_recipient, refusal.client_ip, refusal.count], ['****', null, 1])
  const found = await node.manage('POST', `/companies/${tenant.companyId}/search`, { recipient })
  assert.deepEqual(found.body, { verifications: [], refusals: [], exception: null, next_cursor: null })
})
