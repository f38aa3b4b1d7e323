import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { signWebhook } from '../src/wires/whatsapp/signature.ts'
import {
  ACCESS_TOKEN,
  APP_SECRET,
  BUSINESS_NUMBER,
  eventually,
  PHONE_NUMBER_ID,
  type ReceivedCall,
  type Receiver,
  send,
  start,
  startReceiver,
  whatsAppOptions,
} from './harness.ts'

const PERSON = '+14155550123'

interface Status {
  id: string
  status: string
  recipient_id: string
  biz_opaque_callback_data?: string
  errors?: { code: number }[]
}

interface Value {
  metadata: { display_phone_number: string; phone_number_id: string }
  contacts: { wa_id?: string; user_id: string }[]
  statuses?: Status[]
  messages?: { from?: string; id: string; type: string; text: { body: string } }[]
}

/** Reads a webhook, and fails if its signature is wrong. */
function readWebhook(call: ReceivedCall): Value {
  const expected = `sha256=${createHmac('sha256', APP_SECRET).update(call.body).digest('hex')}`
  assert.equal(call.headers['x-hub-signature-256'], expected)
  const parsed = JSON.parse(call.body) as {
    object: string
    entry: { changes: { field: string; value: Value }[] }[]
  }
  assert.equal(parsed.object, 'whatsapp_business_account')
  const change = parsed.entry[0]?.changes[0]
  assert.equal(change?.field, 'messages')
  assert.ok(change)
  return change.value
}

function statusesOf(receiver: Receiver): Status[] {
  return receiver.calls.flatMap((call) => readWebhook(call).statuses ?? [])
}

function template(code: string, buttonCode = code): Record<string, unknown> {
  return {
    name: 'otp_copy',
    language: { code: 'en_US' },
    components: [
      { type: 'body', parameters: [{ type: 'text', text: code }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: buttonCode }] },
    ],
  }
}

function post(url: string, message: Record<string, unknown>, token = ACCESS_TOKEN): Promise<Response> {
  const body = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: PERSON.slice(1),
    ...message,
  }
  const headers = { authorization: `Bearer ${token}` }
  return send('POST', `${url}/whatsapp/v21.0/${PHONE_NUMBER_ID}/messages`, body, headers)
}

function postTemplate(url: string, changes: Record<string, unknown> = {}): Promise<Response> {
  const message = { type: 'template', template: template('123456'), biz_opaque_callback_data: 'dlv_01' }
  return post(url, { ...message, ...changes })
}

async function graphCode(response: Response): Promise<number> {
  const { error } = (await response.json()) as {
    error: { code: number; message: string; fbtrace_id: string }
  }
  assert.ok(error.message.includes(String(error.code)))
  return error.code
}

test('the signature matches the published vector', () => {
  const body = '{"object":"whatsapp_business_account","entry":[]}'
  const expected = 'sha256=8f1c69f3c50e172785b483ad84a36a6c64b4e199e23810fbd5e084d9300f6452'
  assert.equal(signWebhook('meta_app_secret_test', body), expected)
})

test('a template reaches the person and is reported sent, delivered, read', async (context) => {
  const receiver = await startReceiver(context)
  const { url, messages } = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
  const response = await postTemplate(url)
  assert.equal(response.status, 200)
  const answer = (await response.json()) as { messages: { id: string }[]; contacts: { wa_id: string }[] }
  assert.equal(answer.contacts[0]?.wa_id, '14155550123')
  const [message] = await messages('?channel=whatsapp')
  assert.match(message?.text ?? '', /^123456 is your verification code/)
  assert.equal(message?.to, PERSON)
  assert.equal(message?.from, BUSINESS_NUMBER)
  const statuses = await eventually(
    () => statusesOf(receiver),
    (seen) => seen.length === 3,
  )
  assert.deepEqual(
    statuses.map((status) => status.status),
    ['sent', 'delivered', 'read'],
  )
  for (const status of statuses) {
    assert.equal(status.id, answer.messages[0]?.id)
    assert.equal(status.biz_opaque_callback_data, 'dlv_01')
  }
})

test('a webhook that is not answered with 200 is sent again', async (context) => {
  const receiver = await startReceiver(context)
  receiver.statuses.push(500, 404)
  const { url } = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
  await postTemplate(url)
  const statuses = await eventually(
    () => statusesOf(receiver),
    (seen) => seen.length === 5,
  )
  assert.deepEqual(
    statuses.map((status) => status.status),
    ['sent', 'sent', 'sent', 'delivered', 'read'],
  )
})

test('each outcome answers and reports in its own way', async (context) => {
  const cases = [
    { outcome: 'fail', statuses: ['sent', 'failed'], code: 131049, reaches: false },
    { outcome: 'unreachable', statuses: ['failed'], code: 131026, reaches: false },
    { outcome: 'duplicate', statuses: ['read', 'delivered', 'sent', 'delivered', 'read'], reaches: true },
  ]
  for (const { outcome, statuses, code, reaches } of cases) {
    const receiver = await startReceiver(context)
    const simulator = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
    await simulator.behave({ to: PERSON, outcome })
    assert.equal((await postTemplate(simulator.url)).status, 200)
    const seen = await eventually(
      () => statusesOf(receiver),
      (all) => all.length === statuses.length,
    )
    assert.deepEqual(
      seen.map((status) => status.status),
      statuses,
    )
    assert.equal(seen.at(-1)?.errors?.[0]?.code, code)
    assert.equal((await simulator.messages()).length, reaches ? 1 : 0)
  }
})

test('reject, error and throttle refuse at once, and silence reports nothing', async (context) => {
  const receiver = await startReceiver(context)
  const { url, behave, messages } = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
  await behave({ to: PERSON, outcome: 'reject' })
  const rejected = await postTemplate(url)
  assert.equal(rejected.status, 400)
  assert.equal(await graphCode(rejected), 131009)
  await behave({ to: PERSON, outcome: 'error' })
  assert.equal((await postTemplate(url)).status, 500)
  await behave({ to: PERSON, outcome: 'throttle' })
  const throttled = await postTemplate(url)
  assert.equal(throttled.status, 429)
  assert.equal(await graphCode(throttled), 130429)
  assert.equal((await messages()).length, 0)
  await behave({ to: PERSON, outcome: 'silent' })
  const silent = await postTemplate(url)
  assert.equal(silent.status, 200)
  const { messages: named } = (await silent.json()) as { messages: { id: string }[] }
  await behave({ to: PERSON, outcome: 'deliver' })
  assert.equal((await postTemplate(url)).status, 200)
  await eventually(
    () => receiver.calls.length,
    (count) => count > 0,
  )
  assert.ok(receiver.calls.every(({ body }) => !body.includes(named[0]?.id ?? assert.fail())))
  assert.equal((await messages()).length, 2)
})

test('a template must carry the same short code in body and button', async (context) => {
  const { url } = await start(context)
  const cases: [Record<string, unknown>, number][] = [
    [template('123456', '654321'), 132012],
    [{ ...template('123456'), components: [] }, 132000],
    [template('1'.repeat(16)), 132005],
    [{ name: 'otp_copy' }, 131008],
  ]
  for (const [wrong, code] of cases) {
    const response = await postTemplate(url, { template: wrong })
    assert.equal(response.status, 400)
    assert.equal(await graphCode(response), code)
  }
})

test('a wrong token and an unknown number id are refused', async (context) => {
  const { url } = await start(context)
  const response = await post(url, { type: 'template', template: template('123456') }, 'wrong')
  assert.equal(response.status, 401)
  assert.equal(await graphCode(response), 190)
  const headers = { authorization: `Bearer ${ACCESS_TOKEN}` }
  assert.equal((await send('POST', `${url}/whatsapp/v21.0/1/messages`, {}, headers)).status, 400)
})

test('text is a reply: refused until the person has written', async (context) => {
  const receiver = await startReceiver(context)
  const { url, messages } = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
  const text = { type: 'text', text: { body: '123456 is your ACME code.' } }
  assert.equal(await graphCode(await post(url, text)), 131047)
  const written = { from: PERSON, to: BUSINESS_NUMBER, text: 'Verify ACME K7Q2' }
  const response = await send('POST', `${url}/whatsapp/messages`, written)
  assert.equal(response.status, 200)
  const { id, delivered } = (await response.json()) as { id: string; delivered: boolean }
  assert.equal(delivered, true)
  const value = readWebhook(receiver.calls[0] ?? assert.fail())
  assert.deepEqual(value.metadata, { display_phone_number: '15550001111', phone_number_id: PHONE_NUMBER_ID })
  assert.equal(value.contacts[0]?.wa_id, '14155550123')
  const inbound = value.messages?.[0]
  assert.equal(inbound?.id, id)
  assert.equal(inbound?.from, '14155550123')
  assert.equal(inbound?.text.body, 'Verify ACME K7Q2')
  assert.equal((await post(url, text)).status, 200)
  assert.equal((await messages())[0]?.text, '123456 is your ACME code.')
})

test('a person may hide the number, and may write to another business', async (context) => {
  const receiver = await startReceiver(context)
  const { url } = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
  await send('POST', `${url}/whatsapp/messages`, { from: null, to: '4930123456', text: 'Hello' })
  const value = readWebhook(receiver.calls[0] ?? assert.fail())
  assert.equal(value.contacts[0]?.wa_id, undefined)
  assert.ok(value.contacts[0]?.user_id)
  assert.equal(value.messages?.[0]?.from, undefined)
  assert.equal(value.metadata.display_phone_number, '4930123456')
  assert.notEqual(value.metadata.phone_number_id, PHONE_NUMBER_ID)
})

test('a message that the service does not take answers 502', async (context) => {
  const receiver = await startReceiver(context)
  receiver.statuses.push(401)
  const refusing = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
  const absent = await start(context)
  const written = { from: PERSON, to: BUSINESS_NUMBER, text: 'Hello' }
  const refused = await send('POST', `${refusing.url}/whatsapp/messages`, written)
  assert.equal(refused.status, 502)
  assert.match(await refused.text(), /401/)
  assert.equal((await send('POST', `${absent.url}/whatsapp/messages`, written)).status, 502)
})

test('Brazil, Mexico and Argentina are reported in the spelling of WhatsApp', async (context) => {
  const cases = [
    ['+5511987654321', '551187654321'],
    ['+5511945678901', '5511945678901'],
    ['+525512345678', '5215512345678'],
    ['+541112345678', '5491112345678'],
    ['+5491112345678', '5491112345678'],
  ] as const
  for (const [phone, waId] of cases) {
    const receiver = await startReceiver(context)
    const { url, messages } = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
    await send('POST', `${url}/whatsapp/messages`, { from: phone, to: BUSINESS_NUMBER, text: 'Hello' })
    const value = readWebhook(receiver.calls[0] ?? assert.fail())
    assert.equal(value.messages?.[0]?.from, waId)
    const reply = { to: waId, type: 'text', text: { body: '123456' } }
    assert.equal((await post(url, reply)).status, 200)
    assert.equal((await messages(`?to=${encodeURIComponent(phone)}`))[0]?.to, phone)
    const statuses = await eventually(
      () => statusesOf(receiver),
      (seen) => seen.length === 3,
    )
    assert.equal(statuses[0]?.recipient_id, waId)
  }
})

test('a rule for one spelling of a WhatsApp number counts for the others', async (context) => {
  const { url, behave } = await start(context)
  await behave({ to: '+5511987654321', outcome: 'reject' })
  assert.equal((await postTemplate(url, { to: '551187654321' })).status, 400)
  await behave({ to: '+5215512345678', channel: 'whatsapp', outcome: 'error' })
  assert.equal((await postTemplate(url, { to: '525512345678' })).status, 500)
})

test('the webhook is registered with the handshake', async (context) => {
  const receiver = await startReceiver(context)
  const { url } = await start(context, { whatsapp: whatsAppOptions(receiver.url) })
  const response = await send('POST', `${url}/whatsapp/subscription`, {})
  assert.equal(response.status, 200)
  assert.equal(receiver.calls[0]?.url.searchParams.get('hub.mode'), 'subscribe')
})
