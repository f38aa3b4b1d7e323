import assert from 'node:assert/strict'
import { connect as connectSocket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { eventually, type Running, start } from './harness.ts'
import { type Client, connect, receiptText } from './smpp-client.ts'

const PERSON = '+14155550123'

async function bound(context: TestContext): Promise<{ simulator: Running; client: Client }> {
  const simulator = await start(context)
  const client = connect(context, simulator.smppPort)
  assert.equal((await client.bind()).command_status, 0)
  return { simulator, client }
}

test('a bind needs the right system id and password', async (context) => {
  const { smppPort } = await start(context)
  const wrongs = [
    [{ system_id: 'other' }, 0x0f],
    [{ password: 'wrong' }, 0x0e],
  ] as const
  for (const [fields, status] of wrongs) {
    const client = connect(context, smppPort)
    assert.equal((await client.bind('bind_transceiver', fields)).command_status, status)
    assert.equal((await client.submit({ short_message: 'Hello' })).command_status, 0x04)
  }
})

test('enquire_link and unbind are answered', async (context) => {
  const { client } = await bound(context)
  const link = await new Promise<{ command_status: number }>((resolve) =>
    client.session.enquire_link(resolve),
  )
  assert.equal(link.command_status, 0)
  const unbound = await new Promise<{ command_status: number }>((resolve) => client.session.unbind(resolve))
  assert.equal(unbound.command_status, 0)
  await client.closed
})

test('a text reaches the phone and its receipt carries the id in both forms', async (context) => {
  const { simulator, client } = await bound(context)
  const answer = await client.submit({ short_message: 'Your ACME code is 123456' })
  const id = String(answer.message_id)
  assert.match(id, /^[0-9A-F]{8}$/)
  const [message] = await simulator.messages(`?to=${encodeURIComponent(PERSON)}&channel=sms`)
  assert.equal(message?.text, 'Your ACME code is 123456')
  assert.equal(message?.from, 'ACME')
  assert.equal(message?.to, PERSON)
  await eventually(
    () => client.receipts.length,
    (count) => count === 1,
  )
  const [receipt] = client.receipts
  assert.ok(receipt)
  assert.equal(Number(receipt.esm_class) & 0x3c, 0x04)
  assert.equal(receipt.receipted_message_id, id)
  assert.equal(receipt.message_state, 2)
  assert.equal(receipt.source_addr, '14155550123')
  const text = receiptText(receipt)
  assert.match(text, new RegExp(`^id:${Number.parseInt(id, 16)} sub:001 dlvrd:001 submit date:\\d{10} `))
  assert.match(text, / done date:\d{10} stat:DELIVRD err:000 text:Your ACME code is 12$/)
})

test('GSM-7, Latin-1 and UCS-2 are read as they were written', async (context) => {
  const { simulator, client } = await bound(context)
  const cases = [
    [0, '@£$¥èé Δ_ÆæßÉ {}[]~^|\\€ 123456'],
    [3, 'Votre numéro: 123456, façade'],
    [8, 'Код 123456, 验证码 🙂'],
  ] as const
  for (const [data_coding, text] of cases)
    await client.submit({ data_coding, short_message: { message: text } })
  const messages = await simulator.messages()
  assert.deepEqual(
    messages.map((message) => message.text),
    cases.map(([, text]) => text),
  )
})

test('segments with UDH or SAR are joined in order, whatever order they came in', async (context) => {
  const { simulator, client } = await bound(context)
  const parts = ['Your code ', 'is 123456 ', 'for ACME']
  for (const number of [2, 3, 1]) {
    const udh = Buffer.from([5, 0, 3, 77, 3, number])
    await client.submit({ short_message: { udh, message: parts[number - 1] } })
  }
  for (const number of [3, 1, 2]) {
    const sar = { sar_msg_ref_num: 900, sar_total_segments: 3, sar_segment_seqnum: number }
    await client.submit({ ...sar, short_message: parts[number - 1] })
  }
  for (const number of [2, 1, 3]) {
    const udh = Buffer.from([6, 8, 4, 1, 2, 3, number])
    await client.submit({ data_coding: 8, short_message: { udh, message: parts[number - 1] } })
  }
  const texts = (await simulator.messages()).map((message) => message.text)
  assert.deepEqual(texts, Array(3).fill('Your code is 123456 for ACME'))
  await eventually(
    () => client.receipts.length,
    (count) => count === 9,
  )
})

test('a long text may come whole as message_payload', async (context) => {
  const { simulator, client } = await bound(context)
  const text = `123456 ${'is the code. '.repeat(40)}`
  await client.submit({ short_message: '', message_payload: { message: text } })
  assert.equal((await simulator.messages())[0]?.text, text)
})

test('registered_delivery decides which receipts come', async (context) => {
  const { simulator, client } = await bound(context)
  await client.submit({ short_message: 'none', registered_delivery: 0 })
  await client.submit({ short_message: 'failures', registered_delivery: 2 })
  await simulator.behave({ to: PERSON, outcome: 'silent' })
  await client.submit({ short_message: 'silent' })
  await simulator.behave({ to: PERSON, outcome: 'deliver' })
  const last = await client.submit({ short_message: 'both' })
  await eventually(
    () => client.receipts.length,
    (count) => count > 0,
  )
  assert.deepEqual(
    client.receipts.map(({ receipted_message_id }) => receipted_message_id),
    [last.message_id],
  )
  assert.equal((await simulator.messages()).length, 4)
})

test('fail is reported undelivered, duplicate twice and out of order', async (context) => {
  const { simulator, client } = await bound(context)
  await simulator.behave({ to: PERSON, outcome: 'fail' })
  assert.equal((await client.submit({ short_message: 'x' })).command_status, 0)
  await eventually(
    () => client.receipts.length,
    (count) => count === 1,
  )
  assert.match(receiptText(client.receipts[0] ?? assert.fail()), / stat:UNDELIV err:001 /)
  assert.equal(client.receipts[0]?.message_state, 5)
  assert.equal((await simulator.messages()).length, 0)
  await simulator.behave({ to: PERSON, outcome: 'duplicate' })
  await client.submit({ short_message: 'x' })
  await eventually(
    () => client.receipts.length,
    (count) => count === 4,
  )
  assert.deepEqual(
    client.receipts.slice(1).map((receipt) => receipt.message_state),
    [2, 1, 2],
  )
})

test('reject, unreachable and a bad number are refused, error is a system error of the carrier', async (context) => {
  const { simulator, client } = await bound(context)
  await simulator.behave({ to: PERSON, outcome: 'reject' })
  assert.equal((await client.submit({ short_message: 'x' })).command_status, 0x45)
  await simulator.behave({ to: PERSON, outcome: 'unreachable' })
  assert.equal((await client.submit({ short_message: 'x' })).command_status, 0x0b)
  assert.equal((await client.submit({ short_message: 'x', destination_addr: 'abc' })).command_status, 0x0b)
  await simulator.behave({ to: PERSON, outcome: 'error' })
  assert.equal((await client.submit({ short_message: 'x' })).command_status, 0x08)
  await simulator.behave({ to: PERSON, outcome: 'throttle' })
  assert.equal((await client.submit({ short_message: 'x' })).command_status, 0x58)
  assert.equal((await simulator.messages()).length, 0)
})

test('a part that does not fit into one SMS with its header is refused', async (context) => {
  const { simulator, client } = await bound(context)
  const submit = (length: number, number: number) =>
    client.submit({
      short_message: 'x'.repeat(length),
      sar_msg_ref_num: 7,
      sar_total_segments: 2,
      sar_segment_seqnum: number,
    })
  assert.equal((await submit(154, 1)).command_status, 0x01)
  assert.equal((await submit(153, 1)).command_status, 0)
  assert.equal((await submit(10, 2)).command_status, 0)
  assert.deepEqual(
    (await simulator.messages()).map(({ text }) => text.length),
    [163],
  )
})

test('a receipt whose session is gone goes to the next one that binds', async (context) => {
  const { simulator, client } = await bound(context)
  // The receipt may come before the session ends: without a listener it is not answered.
  client.session.removeAllListeners('deliver_sm')
  const answer = await client.submit({ short_message: 'x' })
  client.session.destroy()
  const next = connect(context, simulator.smppPort)
  await next.bind()
  await eventually(
    () => next.receipts.length,
    (count) => count === 1,
  )
  assert.equal(next.receipts[0]?.receipted_message_id, answer.message_id)
})

test('a transmitter may submit, and hears nothing back', async (context) => {
  const simulator = await start(context)
  const client = connect(context, simulator.smppPort)
  assert.equal((await client.bind('bind_transmitter')).command_status, 0)
  assert.equal((await client.submit({ short_message: 'x' })).command_status, 0)
  const listening = connect(context, simulator.smppPort)
  await listening.bind()
  await eventually(
    () => listening.receipts.length,
    (count) => count === 1,
  )
  assert.equal(client.receipts.length, 0)
})

test('the published bytes of bind_transceiver and submit_sm are understood', async (context) => {
  const simulator = await start(context, { smpp: { systemId: 'user', password: 'pass' } })
  const socket = connectSocket(simulator.smppPort, '127.0.0.1')
  context.after(() => socket.destroy())
  const exchange = async (hex: string) => {
    socket.write(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
    return new Promise<Buffer>((resolve) => socket.once('data', resolve))
  }
  const bind = '0000001f 00000009 00000000 00000001 75736572 00 70617373 00 00 34 00 00 00'
  assert.equal((await exchange(bind)).subarray(4, 16).toString('hex'), '800000090000000000000001')
  const submit =
    '00000058 00000004 00000000 00000002 00 05 00 41434d4500 01 01 313431353535353031323300 00 00 00 00 ' +
    '303030303030303031303030303030 5200 01 00 00 00 18 596f75722041434d4520636f646520697320313233343536'
  assert.equal((await exchange(submit)).subarray(4, 16).toString('hex'), '800000040000000000000002')
  assert.equal((await simulator.messages())[0]?.text, 'Your ACME code is 123456')
})

test('garbage ends the connection and not the simulator', async (context) => {
  const simulator = await start(context)
  const socket = connectSocket(simulator.smppPort, '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(Buffer.alloc(64, 0xff))
  socket.resume()
  await closed
  assert.deepEqual(await simulator.messages(), [])
})
