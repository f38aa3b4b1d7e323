/** Refusals that Twilio's clients get, with Twilio's codes; and what is not supported. */
import assert from 'node:assert/strict'
import { METHODS, request } from 'node:http'
import { after, test } from 'node:test'
import { parseSid } from '../../src/platform/sids.ts'
import { createTenant, freshEmail, freshPhone, message, until } from '../harness/fixtures.ts'
import { startService } from '../harness/service.ts'
import { assertDescribed } from './description.ts'
import { clientFor, codeFor, refused } from './support.ts'

const { node, close } = await startService()
after(close)
const tenant = await createTenant(node)
const { service, sid } = await clientFor(node, tenant)
const london = '+442071838750'

type Params = Parameters<typeof service.verifications.create>[0]
const create = (params: Partial<Params> = {}, by = service) =>
  by.verifications.create({ to: freshPhone(), channel: 'sms', ...params })
const serviceWith = async (settings: object, company = {}) =>
  (await clientFor(node, await createTenant(node, { ...settings }, company))).service

test('the SIDs stand with the app, and lead to its ids', async () => {
  const { body } = await node.manage('GET', `/apps/${tenant.appId}`)
  assert.match(body.twilio_service_sid, /^VA[0-9a-f]{32}$/)
  assert.equal(parseSid('app', body.twilio_service_sid), tenant.appId)
  assert.equal(parseSid('company', body.twilio_account_sid), tenant.companyId)
})

test('a named channel is honoured, in the order or not', async () => {
  const smsOnly = await serviceWith({ routing: { default: ['sms'] } })
  const to = freshPhone()
  assert.equal((await create({ to, channel: 'whatsapp' }, smsOnly)).channel, 'whatsapp')
  assert.equal((await message(node, to)).channel, 'whatsapp')
  assert.equal((await create({ to: freshEmail(), channel: 'email' }, smsOnly)).channel, 'email')
})

test('auto takes the order, but never what the client could not show', async () => {
  const order = { routing: { default: ['telegram', 'whatsapp', 'sms'] } }
  assert.equal((await create({ channel: 'auto' }, await serviceWith(order))).channel, 'whatsapp')
  const linked = { ...order, channels: { whatsapp: { mode: 'link_inbound' } } }
  assert.equal((await create({ channel: 'auto' }, await serviceWith(linked))).channel, 'sms')
  assert.equal((await create({ channel: 'auto', to: freshEmail() })).channel, 'email')
})

test('a locale is honoured, and what is none is refused', async () => {
  const to = freshPhone()
  await create({ to, locale: 'de' })
  const { text } = await message(node, to)
  assert.match(text, /Code|code/)
  assert.doesNotMatch(text, /Your|your/)
  await refused(create({ locale: 'no locale' }), 400, 60200)
})

test('a name of the call’s own is what its messages call the app, until a call names none', async () => {
  const to = freshPhone()
  const mail = freshEmail()
  await create({ to, customFriendlyName: ' Blue Shop ' })
  assert.match((await message(node, to)).text, /Blue Shop/)
  await create({ to })
  assert.match((await message(node, to, 1)).text, /Acme/)
  await create({ to: mail, channel: 'email', customFriendlyName: '<b>Shop</b>' })
  const { text, html = '' } = await message(node, mail)
  assert.match(text, /<b>Shop<\/b>/)
  assert.doesNotMatch(html, /<b>Shop/)
  for (const customFriendlyName of ['', ' ', 'x'.repeat(61), 'Shop\nBcc: x', 'Shop\u0000']) {
    const { message: says } = await refused(create({ customFriendlyName }), 400, 60200)
    assert.match(says, /CustomFriendlyName/)
  }
})

test('a message that is handed over later carries that name too', async () => {
  const to = freshPhone()
  let tries = 0
  const busy = { kind: 'retry', error: { code: 'busy', message: 'Not now.' }, afterSeconds: null } as const
  node.capture.answerWith(({ recipient }) =>
    recipient === to && ++tries === 1 ? busy : { kind: 'accepted', messageId: `later-${tries}` },
  )
  await create({ to, customFriendlyName: 'Blue Shop' })
  assert.match((await message(node, to)).text, /Blue Shop/)
  node.capture.answerWith(null)
  assert.equal(tries, 2)
})

test('a channel that Twilio has and we do not, or the app not, is 60223', async () => {
  for (const channel of ['call', 'sna', 'rcs']) await refused(create({ channel }), 400, 60223)
  const off = await serviceWith({ channels: { whatsapp: { enabled: false } } })
  await refused(create({ channel: 'whatsapp' }, off), 400, 60223)
  const linked = await serviceWith({ channels: { whatsapp: { mode: 'link_code' } } })
  await refused(create({ channel: 'whatsapp' }, linked), 400, 60223)
})

test('what is no parameter of theirs, or has a value that is none, names itself', async () => {
  for (const [params, named] of [
    [{ to: '12345' }, /^Invalid parameter: To$/],
    [{ to: 'nobody' }, /^Invalid parameter: To$/],
    [{ channel: 'telegram' }, /^Invalid parameter: Channel$/],
    [{ channel: 'pigeon' }, /^Invalid parameter: Channel$/],
    [{ channel: 'email' }, /^Invalid parameter: To /],
    [{ deviceIp: 'here' }, /^Invalid parameter: DeviceIp /],
  ] as const) {
    const { message: says } = await refused(create(params), 400, 60200)
    assert.match(says, named)
  }
  await refused(service.verificationChecks.create({ code: '123456' }), 400, 60221)
  const { sid: started } = await create()
  for (const code of ['12', '123456789', 'abcdef', '1234']) {
    await refused(service.verificationChecks.create({ verificationSid: started, code }), 400, 60200)
  }
  await refused(service.verifications(started).update({ status: 'gone' as 'approved' }), 400, 60200)
})

test('a feature that is missing is 60204, and is not passed over', async () => {
  const unsupported: Partial<Params>[] = [
    { customCode: '123456' },
    { amount: '39.99', payee: 'Acme' },
    { customMessage: 'Hello' },
    { templateSid: `HJ${'0'.repeat(32)}` },
    { appHash: 'He42w354ol9' },
    { riskCheck: 'disable' },
    { tags: '{"a":"b"}' },
    { rateLimits: { user: '1' } },
    { sendDigits: '1' },
  ]
  for (const params of unsupported) await refused(create(params), 403, 60204)
  await refused(service.verificationChecks.create({ to: london, code: '123456', amount: '1' }), 403, 60204)
})

test('what the guard and the money say is said in codes', async () => {
  await refused(create({ to: london }), 403, 60205)
  await refused(create({}, await serviceWith({ geo: { countries: ['GB'] } })), 403, 60605)
  await refused(create({}, await serviceWith({}, { balance: '0' })), 403, 20005)
  const limited = await serviceWith({ limits: { app_without_ip: [{ max: 1, window_s: 60 }] } })
  await create({}, limited)
  await refused(create({}, limited), 429, 20429)
  assert.equal((await create({ deviceIp: '81.2.69.142' }, limited)).status, 'pending')
})

test('another app’s service, verification and attempt are not found', async () => {
  const other = await clientFor(node, await createTenant(node))
  const to = freshPhone()
  const started = await create({ to })
  const code = await codeFor(node, to)
  await refused(other.client.verify.v2.services(sid).fetch(), 404, 20404)
  await refused(other.client.verify.v2.services(sid).verifications.create({ to, channel: 'sms' }), 404, 20404)
  await refused(other.service.verifications(started.sid).fetch(), 404, 20404)
  await refused(other.service.verifications(started.sid).update({ status: 'approved' }), 404, 20404)
  await refused(other.service.verificationChecks.create({ verificationSid: started.sid, code }), 404, 20404)
  await refused(other.service.verificationChecks.create({ to, code }), 404, 20404)
  const attempt = String(started.sendCodeAttempts[0].attempt_sid)
  await refused(other.client.verify.v2.verificationAttempts(attempt).fetch(), 404, 20404)
  assert.equal((await service.verifications(started.sid).fetch()).status, 'pending')
})

interface Heard {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

const ask = (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
  new Promise<Heard>((resolve, reject) => {
    const asked = request(node.baseUrl, { method, headers, path }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
    })
    asked.on('error', reject)
    asked.end(body)
  })

const basic = (password: string, user = tenant.appId) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

function assertRefused(heard: Heard, status: number, code: number, what: string): void {
  assert.equal(heard.status, status, what)
  assert.match(String(heard.headers['x-request-id']), /^req_/)
  const body = JSON.parse(heard.text)
  assertDescribed('GET', node.baseUrl, status, body)
  assert.equal(body.code, code, what)
}

test('a server key is needed as the password, under whatever user name', async () => {
  const path = `/twilio/v2/Services/${sid}`
  for (const user of [tenant.appId, '', `AC${'0'.repeat(32)}`, 'anybody']) {
    assert.equal((await ask('GET', path, basic(tenant.serverKey, user))).status, 200)
  }
  for (const headers of [
    {},
    basic(''),
    basic('otp_sk_nothing'),
    basic(tenant.publishableKey),
    basic(`${tenant.serverKey} x`),
    { authorization: `Bearer ${tenant.serverKey}` },
    { authorization: 'Basic ????' },
  ]) {
    for (const address of [path, `http://otp.example.com${path}`, path.replace('twilio', '%74wilio')]) {
      const heard = await ask('GET', address, headers)
      assertRefused(heard, 401, 20003, JSON.stringify(headers))
      assert.equal(heard.headers['www-authenticate'], 'Basic realm="Countersign"')
    }
  }
  assertRefused(
    await ask('POST', `${path}/Verifications`, {}, 'x'.repeat(100_000)),
    401,
    20003,
    'a long body',
  )
})

test('any method on any path under /twilio is answered in Twilio’s shape', async () => {
  const takes: [string, string[]][] = [
    ['/twilio/v2/Services', ['GET']],
    [`/twilio/v2/Services/${sid}`, ['GET']],
    [`/twilio/v2/Services/${sid}/Verifications`, ['POST']],
    [`/twilio/v2/Services/${sid}/Verifications/VEx`, ['GET', 'POST']],
    [`/twilio/v2/Services/${sid}/VerificationCheck`, ['POST']],
    ['/twilio/v2/Attempts', ['GET']],
    ['/twilio/v2/Attempts/VLx', ['GET']],
  ]
  const methods = METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD')
  for (const method of methods) {
    for (const [path, taken] of takes.filter(([, each]) => !each.includes(method))) {
      const heard = await ask(method, path)
      assertRefused(heard, 405, 20004, `${method} ${path}`)
      assert.deepEqual(String(heard.headers.allow).split(', ').sort(), taken)
    }
  }
  const nowhere = [
    '/twilio',
    '/twilio/',
    '/twilio/v2',
    '/twilio/v1/Services',
    `/twilio/v2/Services/${sid}/Entities`,
  ]
  for (const path of [...nowhere, '/twilio?x=1', '/twilio/v2/%E0%A4%A']) {
    for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND']) {
      assertRefused(await ask(method, path, basic(tenant.serverKey)), 404, 20404, `${method} ${path}`)
    }
  }
  assert.equal(JSON.parse((await ask('GET', '/twiliox')).text).error.type, 'HTTPException')
})

test('a body is a form, and what cannot be one is refused without a trace of it', async () => {
  const path = `/twilio/v2/Services/${sid}/Verifications`
  const post = (body: string, more: Record<string, string> = {}) =>
    ask('POST', path, { ...basic(tenant.serverKey), ...more }, body)
  const json = { 'content-type': 'application/json' }
  const inJson = await post('{"To":"+447400100001"}', json)
  assertRefused(inJson, 400, 20001, 'JSON')
  assert.doesNotMatch(inJson.text, /447400100001/)
  assertRefused(await post(''), 400, 60200, 'nothing')
  assertRefused(await post('To=a&To=b&Channel=sms'), 400, 60200, 'twice')
  assertRefused(await post('To=%00&Channel=sms'), 400, 60200, 'NUL')
  assertRefused(await post(`To=+447400100002&Channel=sms&__proto__=1`), 400, 20001, 'no field')
  assertRefused(await post(`To=${'x'.repeat(70_000)}&Channel=sms`), 413, 60200, 'too long')
  const taken = await post(`To=${encodeURIComponent(freshPhone())}&Channel=sms`)
  assert.equal(taken.status, 201, taken.text)
})

test('what a client is refused is among the errors of its app, by its own route and code, without what it sent', async () => {
  const own = await createTenant(node)
  const { service: mine, sid: ownSid } = await clientFor(node, own)
  await refused(create({ to: '+1555' }, mine), 400, 60200)
  await refused(mine.verifications(`VE${'0'.repeat(32)}`).fetch(), 404, 20404)
  const answer = await fetch(`${node.baseUrl}/twilio/v2/Services/${ownSid}/Verifications`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`x:${own.serverKey}`).toString('base64')}`,
      'x-request-id': 'told-to-twilio',
    },
    body: new URLSearchParams({ To: freshPhone(), Channel: 'sms', SecretOfTheirs: '1' }),
  })
  assert.equal(answer.status, 400)
  const body = await until('all three to be written', async () => {
    const listed = await node.manage('GET', `/apps/${own.appId}/errors`)
    return listed.body.errors.length >= 3 && listed.body
  })
  const told = body.errors.map((one: Record<string, unknown>) => `${one.status} ${one.type} ${one.endpoint}`)
  assert.deepEqual(told.toSorted(), [
    '400 Twilio 20001 POST /twilio/v2/Services/{ServiceSid}/Verifications',
    '400 Twilio 60200 POST /twilio/v2/Services/{ServiceSid}/Verifications',
    '404 Twilio 20404 GET /twilio/v2/Services/{ServiceSid}/Verifications/{Sid}',
  ])
  assert.ok(body.errors.some((one: { request_id: string }) => one.request_id === 'told-to-twilio'))
  assert.ok(!JSON.stringify(body).includes('SecretOfTheirs'))
})
