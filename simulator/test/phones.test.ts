/** What the phones page reads besides the messages themselves. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { boundPort } from '../src/listen.ts'
import { eventually, type Running, send, start, TELEGRAM_TOKEN } from './harness.ts'
import { connect } from './smpp-client.ts'

const PERSON = '+14155550123'

const sendTelegram = (url: string, code: string) =>
  send(
    'POST',
    `${url}/telegram/sendVerificationMessage`,
    { phone_number: PERSON, code },
    { authorization: `Bearer ${TELEGRAM_TOKEN}` },
  )

/** What the stream tells a page that opens now. */
async function snapshot(url: string): Promise<string> {
  const abort = new AbortController()
  const response = await fetch(`${url}/messages/stream`, { signal: abort.signal })
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('event: ready')) break
  }
  abort.abort()
  return text
}

const rulesOf = async ({ url }: Running) => (await (await fetch(`${url}/behaviour`)).json()) as object[]

test('a rule for the next message is gone after it, and one without stays', async (context) => {
  const simulator = await start(context)
  const { url, behave } = simulator
  await behave({ to: PERSON, channel: 'telegram', outcome: 'reject', once: true })
  assert.deepEqual(await rulesOf(simulator), [
    { to: PERSON, channel: 'telegram', outcome: 'reject', delay_ms: 0, once: true },
  ])
  const statuses = [await sendTelegram(url, '111111'), await sendTelegram(url, '222222')]
  const [first, second] = await Promise.all(
    statuses.map((answer) => answer.json() as Promise<{ ok: boolean }>),
  )
  assert.deepEqual([first?.ok, second?.ok], [false, true])
  assert.deepEqual(await rulesOf(simulator), [])
  await behave({ to: PERSON, outcome: 'silent' })
  await sendTelegram(url, '333333')
  assert.equal((await rulesOf(simulator)).length, 1)
})

test('all parts of an SMS get what was set for it alone, and the next one does not', async (context) => {
  const simulator = await start(context)
  const client = connect(context, simulator.smppPort)
  await client.bind()
  await simulator.behave({ to: PERSON, channel: 'sms', outcome: 'fail', once: true })
  const part = (reference: number, number: number, message: string) =>
    client.submit({ short_message: { udh: Buffer.from([5, 0, 3, reference, 2, number]), message } })
  for (const number of [1, 2]) await part(7, number, `lost ${number}`)
  assert.deepEqual(await simulator.messages(), [])
  assert.equal((await snapshot(simulator.url)).match(/event: missed/g)?.length, 1, 'one message, not two')
  for (const number of [1, 2]) await part(8, number, `kept ${number} `)
  const [message] = await simulator.messages()
  assert.equal(message?.text, 'kept 1 kept 2 ')
  const raw = (await (await fetch(`${simulator.url}/messages/${message?.id}/raw`)).json()) as {
    text: string
    segments: { encoding: string; octets: number; text: string }[]
  }
  assert.match(raw.text, /data_coding: \d/)
  assert.deepEqual(
    raw.segments.map(({ text, encoding, octets }) => [text, encoding, octets]),
    [
      ['kept 1 ', 'GSM-7', 7],
      ['kept 2 ', 'GSM-7', 7],
    ],
  )
})

test('a page is told what did not arrive, which rules are in force, and how a number is written', async (context) => {
  const { url, behave } = await start(context)
  await behave({ to: '*', channel: 'telegram', outcome: 'unreachable' })
  await sendTelegram(url, '111111')
  const text = await snapshot(url)
  const lineOf = (name: string) =>
    JSON.parse(text.match(new RegExp(`event: ${name}\ndata: (.*)`))?.[1] ?? 'null')
  const { to, channel, outcome, shown_to } = lineOf('missed')
  assert.deepEqual([to, channel, outcome, shown_to], [PERSON, 'telegram', 'unreachable', '+1 415 555 0123'])
  assert.equal(lineOf('rules').length, 1)
  assert.deepEqual(await (await fetch(`${url}/messages`)).json(), [], 'it is no message')
  const spelled = await (await fetch(`${url}/show?to=%2B447400123456`)).json()
  assert.deepEqual(spelled, { shown_to: '+44 7400 123456' })
})

test('one rule is removed without the others, and all messages at once', async (context) => {
  const simulator = await start(context)
  const { url, behave } = simulator
  await behave({ to: '*', outcome: 'silent' })
  await behave({ to: PERSON, channel: 'sms', outcome: 'reject' })
  await fetch(`${url}/behaviour?to=${encodeURIComponent(PERSON)}&channel=sms`, { method: 'DELETE' })
  assert.deepEqual(await rulesOf(simulator), [{ to: '*', channel: null, outcome: 'silent', delay_ms: 0 }])
  await sendTelegram(url, '111111')
  await eventually(
    () => simulator.messages(),
    (messages) => messages.length === 1,
  )
  assert.equal((await fetch(`${url}/inbox`, { method: 'DELETE' })).status, 204)
  assert.deepEqual(await simulator.messages(), [])
  assert.ok(!(await snapshot(url)).includes('111111'))
})

/** A service that answers with what it was sent. */
async function openService(context: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    request.resume()
    response.writeHead(202, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ path: request.url, authorization }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => server.close())
  return `http://127.0.0.1:${boundPort(server.address())}`
}

test('the page calls the service that has introduced itself, with a key that it is not shown', async (context) => {
  const { url } = await start(context, { serviceToken: 'token' })
  const service = await openService(context)
  const known = { url: service, key: 'otp_sk_1', dashboard: `${service}/dashboard`, app_id: 'app_1' }
  const introduce = (token: string) =>
    send('PUT', `${url}/service`, known, { authorization: `Bearer ${token}` })
  assert.equal((await send('POST', `${url}/service/send`, {})).status, 409)
  assert.equal((await introduce('another')).status, 401)
  assert.equal((await introduce('token')).status, 204)
  const sent = await send('POST', `${url}/service/send`, { recipient: PERSON })
  assert.deepEqual(
    [sent.status, await sent.json()],
    [202, { path: '/api/v1/otp/send', authorization: 'Bearer otp_sk_1' }],
  )
  const shown = await (await fetch(`${url}/service`)).text()
  assert.deepEqual(JSON.parse(shown), { service: { dashboard: known.dashboard, app_id: 'app_1' } })
})

test('nobody introduces themselves to a simulator that was started without a token', async (context) => {
  const { url } = await start(context)
  const headers = { authorization: 'Bearer ' }
  assert.equal((await send('PUT', `${url}/service`, {}, headers)).status, 401)
})
