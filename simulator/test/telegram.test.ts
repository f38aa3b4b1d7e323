import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { signCallback } from '../src/wires/telegram/signature.ts'
import {
  eventually,
  type ReceivedCall,
  type Receiver,
  send,
  start,
  startReceiver,
  TELEGRAM_TOKEN,
} from './harness.ts'

const PERSON = '+391234567890'

interface RequestStatus {
  request_id: string
  phone_number: string
  request_cost: number
  is_refunded?: boolean
  remaining_balance: number
  delivery_status?: { status: string; updated_at: number }
  verification_status?: { status: string }
  payload?: string
}

type GatewayAnswer = { ok: true; result: RequestStatus } | { ok: false; error: string }

async function call(url: string, method: string, body: Record<string, unknown>): Promise<GatewayAnswer> {
  const headers = { authorization: `Bearer ${TELEGRAM_TOKEN}` }
  const response = await send('POST', `${url}/telegram/${method}`, body, headers)
  return (await response.json()) as GatewayAnswer
}

async function result(answer: Promise<GatewayAnswer>): Promise<RequestStatus> {
  const given = await answer
  if (!given.ok) assert.fail(given.error)
  return given.result
}

async function failure(answer: Promise<GatewayAnswer>): Promise<string> {
  const given = await answer
  if (given.ok) assert.fail('it was taken')
  return given.error
}

function readCallback(received: ReceivedCall): RequestStatus {
  const timestamp = String(received.headers['x-request-timestamp'])
  const key = createHash('sha256').update(TELEGRAM_TOKEN).digest()
  const expected = createHmac('sha256', key).update(`${timestamp}\n${received.body}`).digest('hex')
  assert.equal(received.headers['x-request-signature'], expected)
  assert.ok(Math.abs(Date.now() / 1_000 - Number(timestamp)) < 60)
  return JSON.parse(received.body) as RequestStatus
}

function callbacks(receiver: Receiver): string[] {
  return receiver.calls.map((received) => readCallback(received).delivery_status?.status ?? '')
}

test('the signature matches the published vector', () => {
  const body =
    '{"request_id":"1234567890","phone_number":"+391234567890","request_cost":0.01,"delivery_status":{"status":"delivered","updated_at":1735689599},"payload":"dlv_01"}'
  const expected = '0f2ea30a9a9336e75228769e5f57c01d7f44ff401c83c318b06420994c910ece'
  assert.equal(signCallback('AAHTelegramGatewayTestToken', '1735689600', body), expected)
})

test('a code reaches the person and is called back delivered, then read', async (context) => {
  const receiver = await startReceiver(context)
  const { url, messages } = await start(context)
  const parameters = {
    phone_number: PERSON,
    code: '123456',
    ttl: 300,
    callback_url: receiver.url,
    payload: 'dlv_01',
  }
  const sent = await result(call(url, 'sendVerificationMessage', parameters))
  assert.equal(sent.phone_number, '391234567890')
  assert.equal(sent.delivery_status?.status, 'sent')
  assert.equal(sent.payload, 'dlv_01')
  const [message] = await messages(`?to=${encodeURIComponent(PERSON)}&channel=telegram`)
  assert.match(message?.text ?? '', /123456/)
  await eventually(
    () => receiver.calls.length,
    (count) => count === 2,
  )
  assert.deepEqual(callbacks(receiver), ['delivered', 'read'])
  const called = readCallback(receiver.calls[0] ?? assert.fail())
  assert.equal(called.request_id, sent.request_id)
  assert.equal(called.payload, 'dlv_01')
})

test('a callback that is not answered with 200 is sent again, freshly signed', async (context) => {
  const receiver = await startReceiver(context)
  receiver.statuses.push(503, 202)
  const { url } = await start(context)
  await call(url, 'sendVerificationMessage', {
    phone_number: PERSON,
    code: '123456',
    callback_url: receiver.url,
  })
  await eventually(
    () => receiver.calls.length,
    (count) => count === 4,
  )
  assert.deepEqual(callbacks(receiver), ['delivered', 'delivered', 'delivered', 'read'])
})

/** Waits for the callbacks of a later message: those of earlier ones would have come before. */
async function passAnother(url: string, context: TestContext): Promise<void> {
  const receiver = await startReceiver(context)
  const parameters = { phone_number: '+391234567899', code: '123456', callback_url: receiver.url }
  await result(call(url, 'sendVerificationMessage', parameters))
  await eventually(
    () => receiver.calls.length,
    (count) => count === 2,
  )
}

test('fail expires with a refund, duplicate repeats out of order, silent says nothing', async (context) => {
  const { url, behave, messages } = await start(context)
  const cases: [string, string[], boolean][] = [
    ['fail', ['expired'], false],
    ['duplicate', ['read', 'delivered', 'read', 'delivered'], true],
    ['silent', [], true],
  ]
  for (const [index, [outcome, statuses, reaches]] of cases.entries()) {
    const receiver = await startReceiver(context)
    const phone = `+39123456789${index}`
    await behave({ to: phone, channel: 'telegram', outcome })
    await result(
      call(url, 'sendVerificationMessage', {
        phone_number: phone,
        code: '123456',
        callback_url: receiver.url,
      }),
    )
    if (statuses.length === 0) await passAnother(url, context)
    await eventually(
      () => receiver.calls.length,
      (count) => count === statuses.length,
    )
    assert.deepEqual(callbacks(receiver), statuses)
    if (outcome === 'fail') assert.equal(readCallback(receiver.calls[0] ?? assert.fail()).is_refunded, true)
    assert.equal((await messages(`?to=${encodeURIComponent(phone)}`)).length, reaches ? 1 : 0)
  }
})

test('unreachable and reject are refused by name, error is a 500', async (context) => {
  const { url, behave, messages } = await start(context)
  const body = { phone_number: PERSON, code: '123456' }
  await behave({ to: PERSON, outcome: 'unreachable' })
  assert.equal(await failure(call(url, 'sendVerificationMessage', body)), 'PHONE_NUMBER_NOT_AVAILABLE')
  assert.equal(await failure(call(url, 'checkSendAbility', body)), 'PHONE_NUMBER_NOT_AVAILABLE')
  await behave({ to: PERSON, outcome: 'reject' })
  assert.equal(await failure(call(url, 'sendVerificationMessage', body)), 'PHONE_NUMBER_INVALID')
  await behave({ to: PERSON, outcome: 'throttle' })
  assert.equal(await failure(call(url, 'sendVerificationMessage', body)), 'FLOOD_WAIT_1')
  await behave({ to: PERSON, outcome: 'error' })
  const headers = { authorization: `Bearer ${TELEGRAM_TOKEN}` }
  const response = await send('POST', `${url}/telegram/sendVerificationMessage`, body, headers)
  assert.equal(response.status, 500)
  assert.equal((await messages()).length, 0)
})

test('a checked number is paid for once and carries one message', async (context) => {
  const { url } = await start(context)
  const checked = await result(call(url, 'CHECKSENDABILITY', { phone_number: PERSON }))
  assert.equal(checked.request_cost, 0.01)
  assert.equal(checked.delivery_status, undefined)
  const body = { phone_number: PERSON, code: '1234', request_id: checked.request_id }
  assert.equal(
    await failure(call(url, 'sendVerificationMessage', { ...body, phone_number: '+391234567891' })),
    'PHONE_NUMBER_MISMATCH',
  )
  const sent = await result(call(url, 'sendverificationmessage', body))
  assert.equal(sent.request_id, checked.request_id)
  assert.equal(sent.request_cost, 0)
  assert.equal(sent.remaining_balance, checked.remaining_balance)
  assert.equal(await failure(call(url, 'sendVerificationMessage', body)), 'MESSAGE_ALREADY_SENT')
})

test('a verification is tracked and an unseen message can be revoked', async (context) => {
  const { url, behave } = await start(context)
  await behave({ to: PERSON, outcome: 'silent' })
  const sent = await result(call(url, 'sendVerificationMessage', { phone_number: PERSON, code: '123456' }))
  const id = { request_id: sent.request_id }
  const wrong = await result(call(url, 'checkVerificationStatus', { ...id, code: '000000' }))
  assert.equal(wrong.verification_status?.status, 'code_invalid')
  const right = await result(call(url, 'checkVerificationStatus', { ...id, code: '123456' }))
  assert.equal(right.verification_status?.status, 'code_valid')
  assert.deepEqual(await call(url, 'revokeVerificationMessage', id), { ok: true, result: true })
  assert.equal((await result(call(url, 'checkVerificationStatus', id))).delivery_status?.status, 'revoked')
  assert.equal(await failure(call(url, 'checkVerificationStatus', { request_id: '1' })), 'REQUEST_ID_INVALID')
})

test('parameters come as query, form or JSON, with the token in either place', async (context) => {
  const { url } = await start(context)
  const query = new URLSearchParams({ phone_number: PERSON, code: '123456', access_token: TELEGRAM_TOKEN })
  const asQuery = await fetch(`${url}/telegram/sendVerificationMessage?${query}`)
  assert.equal(((await asQuery.json()) as GatewayAnswer).ok, true)
  const asForm = await fetch(`${url}/telegram/sendVerificationMessage`, { method: 'POST', body: query })
  assert.equal(((await asForm.json()) as GatewayAnswer).ok, true)
})

test('bad parameters have the names of the gateway', async (context) => {
  const { url } = await start(context)
  const good = { phone_number: PERSON, code: '123456' }
  const cases: [Record<string, unknown>, string][] = [
    [{ phone_number: 'x' }, 'PHONE_NUMBER_INVALID'],
    [{ code: 'abcd' }, 'CODE_INVALID'],
    [{ code: '123' }, 'CODE_INVALID'],
    [{ ttl: 5 }, 'TTL_INVALID'],
    [{ payload: 'x'.repeat(129) }, 'PAYLOAD_INVALID'],
    [{ callback_url: 'ftp://x' }, 'CALLBACK_URL_INVALID'],
    [{ sender_username: 'a b' }, 'SENDER_USERNAME_INVALID'],
    [{ request_id: '1' }, 'REQUEST_ID_INVALID'],
  ]
  for (const [change, error] of cases) {
    assert.equal(await failure(call(url, 'sendVerificationMessage', { ...good, ...change })), error)
  }
  assert.equal(
    await failure(call(url, 'sendVerificationMessage', { phone_number: PERSON })),
    'CODE_LENGTH_REQUIRED',
  )
  assert.equal(await failure(call(url, 'nothing', good)), 'UNKNOWN_METHOD')
  const wrong = await send('POST', `${url}/telegram/checkSendAbility`, good, {
    authorization: 'Bearer wrong',
  })
  assert.deepEqual(await wrong.json(), { ok: false, error: 'ACCESS_TOKEN_INVALID' })
})
