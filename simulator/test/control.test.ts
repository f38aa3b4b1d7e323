import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { test } from 'node:test'
import { ACCESS_TOKEN, PHONE_NUMBER_ID, send, start } from './harness.ts'

function sendTemplate(url: string, to: string): Promise<Response> {
  const parameters = [{ type: 'text', text: '123456' }]
  const template = {
    name: 'code',
    language: { code: 'en' },
    components: [
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: '0', parameters },
    ],
  }
  const body = { messaging_product: 'whatsapp', to, type: 'template', template }
  const headers = { authorization: `Bearer ${ACCESS_TOKEN}` }
  return send('POST', `${url}/whatsapp/v21.0/${PHONE_NUMBER_ID}/messages`, body, headers)
}

test('health and info are served', async (context) => {
  const { url } = await start(context)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  assert.deepEqual(await (await fetch(`${url}/info`)).json(), { whatsapp_number: '+15550001111' })
})

test('bad input is refused with 422 and every field at fault', async (context) => {
  const { url } = await start(context)
  const rule = { to: 'nobody', channel: 'fax', outcome: 'maybe', delay_ms: -1, extra: true }
  const response = await send('PUT', `${url}/behaviour`, rule)
  assert.equal(response.status, 422)
  const { error } = (await response.json()) as {
    error: { type: string; details: { fields: { path: string }[] } }
  }
  assert.equal(error.type, 'ValidationError')
  assert.deepEqual(error.details.fields.map((field) => field.path).sort(), [
    'channel',
    'delay_ms',
    'extra',
    'outcome',
    'to',
  ])
  assert.equal((await send('POST', `${url}/whatsapp/messages`, { from: 'x', to: '', text: '' })).status, 422)
  assert.equal((await fetch(`${url}/messages?channel=fax`)).status, 422)
  assert.equal((await fetch(`${url}/messages?to=nobody`)).status, 422)
  const list = await send('PUT', `${url}/behaviour`, [])
  assert.equal(
    ((await list.json()) as { error: { message: string } }).error.message,
    'the body must be a JSON object',
  )
  const broken = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{' }
  assert.equal((await fetch(`${url}/behaviour`, broken)).status, 422)
})

test('unknown paths, wrong methods, other media types and large bodies are refused', async (context) => {
  const { url } = await start(context)
  assert.equal((await fetch(`${url}/nothing`)).status, 404)
  const wrong = await fetch(`${url}/messages`, { method: 'DELETE' })
  assert.equal(wrong.status, 405)
  assert.equal(wrong.headers.get('allow'), 'GET')
  assert.equal((await fetch(`${url}/behaviour`, { method: 'PUT', body: '{}' })).status, 415)
  const large = await send('PUT', `${url}/behaviour`, { to: '*', outcome: 'x'.repeat(300_000) })
  assert.equal(large.status, 413)
})

test('a write from another origin is refused, from its own page it is not', async (context) => {
  const { url } = await start(context)
  const rule = { to: '*', outcome: 'silent' }
  for (const origin of ['https://elsewhere.example', 'null']) {
    assert.equal((await send('PUT', `${url}/behaviour`, rule, { origin })).status, 403)
    assert.equal((await fetch(`${url}/behaviour`, { method: 'DELETE', headers: { origin } })).status, 403)
  }
  assert.equal((await send('PUT', `${url}/behaviour`, rule, { origin: url })).status, 200)
  assert.equal((await fetch(`${url}/healthz`)).headers.get('access-control-allow-origin'), null)
})

test('a page reads nothing by a name of its own that leads here', async (context) => {
  const { httpPort } = await start(context, { publicHost: 'codes.example' })
  const statusFor = async (host: string, path: string) => {
    const asked = get({ host: '127.0.0.1', port: httpPort, path, headers: { host } })
    const [answer] = await once(asked, 'response')
    answer.resume()
    return answer.statusCode
  }
  const foreign = ['evil.example', 'localhost.evil.example', 'notlocalhost', 'codes.example.evil.example', '']
  for (const host of foreign)
    for (const path of ['/', '/messages', '/messages/stream', '/service', '/page/main.js'])
      assert.equal(await statusFor(`${host}:${httpPort}`, path), 403, `${host} ${path}`)
  const own = [
    'localhost',
    'LOCALHOST',
    'phones.localhost',
    '127.0.0.1',
    '192.168.1.7',
    '[::1]',
    'codes.example',
  ]
  for (const host of own) assert.equal(await statusFor(`${host}:${httpPort}`, '/messages'), 200, host)
  assert.equal(await statusFor('localhost', '/messages'), 200, 'a proxy may leave out the port')
})

test('a person beats everybody, and a channel beats none', async (context) => {
  const { url, behave } = await start(context)
  await behave({ to: '*', channel: 'whatsapp', outcome: 'reject' })
  assert.equal((await sendTemplate(url, '14155550101')).status, 400)
  await behave({ to: '14155550101', outcome: 'deliver' })
  assert.equal((await sendTemplate(url, '14155550101')).status, 200)
  await behave({ to: '+14155550101', channel: 'whatsapp', outcome: 'error' })
  assert.equal((await sendTemplate(url, '14155550101')).status, 500)
  assert.equal((await sendTemplate(url, '14155550102')).status, 400)
  assert.equal((await fetch(`${url}/behaviour`, { method: 'DELETE' })).status, 204)
  assert.equal((await sendTemplate(url, '14155550101')).status, 200)
})

test('a delay holds back the answer of the provider', async (context) => {
  const { url, behave } = await start(context)
  await behave({ to: '+14155550101', outcome: 'deliver', delay_ms: 300 })
  const before = performance.now()
  assert.equal((await sendTemplate(url, '14155550101')).status, 200)
  assert.ok(performance.now() - before >= 295)
})

test('messages are filtered by person and channel, oldest first, with unique ids', async (context) => {
  const { url, messages } = await start(context)
  await sendTemplate(url, '14155550101')
  await sendTemplate(url, '14155550102')
  await sendTemplate(url, '14155550101')
  const all = await messages()
  assert.equal(all.length, 3)
  assert.equal(new Set(all.map((message) => message.id)).size, 3)
  const own = await messages('?to=%2B14155550101&channel=whatsapp')
  assert.equal(own.length, 2)
  assert.deepEqual(Object.keys(own[0] ?? {}), ['id', 'channel', 'to', 'from', 'text', 'received_at'])
  assert.equal(own[0]?.to, '+14155550101')
  assert.ok((own[0]?.received_at ?? '') <= (own[1]?.received_at ?? ''))
  assert.equal((await messages('?to=14155550101')).length, 2)
  assert.equal((await messages('?to=+14155550101')).length, 2)
  assert.equal((await messages('?channel=sms')).length, 0)
})
