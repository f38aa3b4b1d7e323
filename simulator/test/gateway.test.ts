import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { eventually, type Running, send, start, startReceiver } from './harness.ts'

const KEY = 'any-key'
const TO = '+14155550123'
const authorization = { authorization: `Bearer ${KEY}` }

const message = (url: string) => ({
  to: TO,
  from: 'Shop',
  text: 'Your code is 123456',
  reference: 'dlv_1',
  callback_url: url,
})

async function sendTo(simulator: Running, body: unknown) {
  const response = await send('POST', `${simulator.url}/gateway/messages`, body, authorization)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('the plain SMS gateway', () => {
  it('takes a message as JSON, as a form and as a query, and shows it to the person', async (test) => {
    const simulator = await start(test)
    const fields = { to: '14155550123', from: 'Shop', text: 'ü & 1' }
    const form = new URLSearchParams(fields)
    assert.equal((await sendTo(simulator, fields)).status, 200)
    const url = `${simulator.url}/gateway/messages`
    assert.equal((await fetch(url, { method: 'POST', headers: authorization, body: form })).status, 200)
    assert.equal((await fetch(`${url}?${form}`, { headers: authorization })).status, 200)
    const seen = await simulator.messages('?channel=sms')
    assert.deepEqual(
      seen.map(({ to, from, text }) => [to, from, text]),
      Array(3).fill([TO, 'Shop', 'ü & 1']),
    )
  })

  it('wants a key, a number and a text', async (test) => {
    const simulator = await start(test)
    const url = `${simulator.url}/gateway/messages`
    assert.equal((await send('POST', url, { to: TO, text: 'a' })).status, 401)
    for (const body of [{ to: TO }, { to: 'nobody', text: 'a' }, {}])
      assert.equal((await sendTo(simulator, body)).status, 422)
  })

  it('reports what becomes of a message, with an HMAC of the bytes', async (test) => {
    const simulator = await start(test)
    const receiver = await startReceiver(test)
    const { body } = await sendTo(simulator, message(receiver.url))
    await eventually(
      () => receiver.calls.length,
      (count) => count === 2,
    )
    const statuses = receiver.calls.map((call) => {
      const signature = createHmac('sha256', KEY).update(call.body).digest('hex')
      assert.equal(call.headers['x-signature'], signature)
      const said = JSON.parse(call.body)
      assert.deepEqual([said.id, said.reference], [body.id, 'dlv_1'])
      return said.status
    })
    assert.deepEqual(statuses, ['sent', 'delivered'])
  })

  it('behaves towards each person as it was told', async (test) => {
    const simulator = await start(test)
    const receiver = await startReceiver(test)
    const expected: readonly (readonly [
      outcome: string,
      status: number,
      code: string | null,
      receipts: string[],
    ])[] = [
      ['fail', 200, null, ['sent', 'failed']],
      ['duplicate', 200, null, ['delivered', 'sent', 'delivered']],
      ['silent', 200, null, []],
      ['reject', 400, 'rejected', []],
      ['unreachable', 400, 'unreachable', []],
      ['error', 500, 'error', []],
      ['throttle', 429, 'throttled', []],
      // Last: once its receipts have come, those of the others would have come too.
      ['deliver', 200, null, ['sent', 'delivered']],
    ]
    for (const [index, [outcome, status]] of expected.entries()) {
      const to = `+1415555010${index}`
      await simulator.behave({ to, outcome })
      const answer = await sendTo(simulator, { ...message(receiver.url), to, reference: outcome })
      assert.equal(answer.status, status, outcome)
      const code = (answer.body.error as { code: string } | undefined)?.code ?? null
      assert.equal(code, expected[index]?.[2], outcome)
    }
    const all = expected.flatMap(([, , , receipts]) => receipts).length
    await eventually(
      () => receiver.calls.length,
      (count) => count >= all,
    )
    for (const [outcome, , , receipts] of expected) {
      const said = receiver.calls
        .map((call) => JSON.parse(call.body))
        .filter(({ reference }) => reference === outcome)
      assert.deepEqual(
        said.map(({ status }) => status),
        receipts,
        outcome,
      )
    }
    const reached = (await simulator.messages('?channel=sms')).map(({ to }) => to)
    assert.deepEqual(reached, ['+14155550101', '+14155550102', '+14155550107'])
  })

  it('answers as late as it was told', async (test) => {
    const simulator = await start(test)
    await simulator.behave({ to: TO, outcome: 'deliver', delay_ms: 300 })
    const begun = performance.now()
    await sendTo(simulator, message('http://127.0.0.1:9/none'))
    assert.ok(performance.now() - begun >= 290)
  })
})
