import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { smpp } from '../../src/channels/smpp/index.ts'
import { type PeerPdu, receiptText, startSmppPeer } from './smpp-peer.ts'
import { answerWith, open, openWithPeer } from './smpp-support.ts'
import { deferred, eventually, generousDeadline, outgoing, recordingContext } from './support.ts'

describe('smpp: receipts', () => {
  it('are answered once they are recorded, and asked for again when they could not be', async (test) => {
    const peer = await startSmppPeer(test)
    const recorded = deferred()
    let count = 0
    const settings = {
      host: '127.0.0.1',
      port: peer.port,
      system_id: 'u',
      password: 'p',
      source_addr: 'ACME',
    }
    const account = smpp.open(smpp.settings.parse(settings), {
      ...recordingContext(),
      onReceipt: () => (++count === 1 ? recorded.promise : Promise.reject(new Error('away'))),
    })
    test.after(account.close)
    await account.send(outgoing(), generousDeadline())
    const [session] = peer.sessions
    const statuses: number[] = []
    const fields = { esm_class: 4, short_message: receiptText('1', 'DELIVRD') }
    session?.deliver_sm(fields, (response) => statuses.push(response.command_status))
    await eventually(() => count === 1)
    session?.deliver_sm(fields, (response) => statuses.push(response.command_status))
    await eventually(() => statuses.length === 1)
    assert.deepEqual(statuses, [0x64])
    recorded.resolve()
    await eventually(() => statuses.length === 2)
    assert.deepEqual(statuses, [0x64, 0])
  })

  /** Sends one message that gets this id, and has the carrier report on it. */
  async function report(test: TestContext, messageId: string, fields: object) {
    const { peer, account, context } = await openWithPeer(test)
    peer.onSubmit = answerWith({ message_id: messageId })
    await account.send(outgoing(), generousDeadline())
    const acknowledged = deferred<PeerPdu>()
    peer.sessions[0]?.deliver_sm(fields, (response) => acknowledged.resolve(response))
    assert.equal((await acknowledged.promise).command_status, 0)
    return context.receipts.map(({ deliveryId, messageId: name, status, error }) => [
      deliveryId,
      name,
      status,
      error?.code ?? null,
    ])
  }

  it('match the message by text alone, in hexadecimal or in decimal', async (test) => {
    const delivered = [['dlv_01', 'a1b2c', 'delivered', null]]
    for (const id of ['0A1B2C', 'a1b2c', '662316', '0000662316']) {
      assert.deepEqual(
        await report(test, '000A1B2C', { esm_class: 4, short_message: receiptText(id, 'DELIVRD') }),
        delivered,
      )
    }
    assert.deepEqual(
      await report(test, '662316', { esm_class: 4, short_message: receiptText('0A1B2C', 'DELIVRD') }),
      [['dlv_01', '662316', 'delivered', null]],
    )
  })

  it('prefer the fields over the text', async (test) => {
    const fields = { esm_class: 4, short_message: receiptText('999', 'UNDELIV'), message_state: 2 }
    assert.deepEqual(await report(test, 'ABC', { ...fields, receipted_message_id: '0ABC' }), [
      ['dlv_01', 'abc', 'delivered', null],
    ])
  })

  it('fail for every final state but delivered, with the word of the carrier', async (test) => {
    for (const state of ['EXPIRED', 'DELETED', 'UNDELIV', 'REJECTD']) {
      assert.deepEqual(
        await report(test, '1', { esm_class: 4, short_message: receiptText('1', state, '034') }),
        [['dlv_01', '1', 'failed', state]],
      )
    }
  })

  it('are none for a state that is not final, for what people write, and for other notices', async (test) => {
    for (const state of ['ENROUTE', 'ACCEPTD', 'UNKNOWN', 'NEWSTAT']) {
      assert.deepEqual(await report(test, '1', { esm_class: 4, short_message: receiptText('1', state) }), [])
    }
    for (const state of [1, 6, 7]) {
      const text = receiptText('1', 'DELIVRD')
      const fields = { esm_class: 4, short_message: text, receipted_message_id: '1', message_state: state }
      assert.deepEqual(await report(test, '1', fields), [])
    }
    assert.deepEqual(
      await report(test, '1', { esm_class: 0, short_message: receiptText('1', 'DELIVRD') }),
      [],
    )
    assert.deepEqual(
      await report(test, '1', { esm_class: 0x20, short_message: receiptText('1', 'DELIVRD') }),
      [],
    )
    assert.deepEqual(await report(test, '1', { esm_class: 4, short_message: 'text: id:1 stat:DELIVRD' }), [])
  })

  it('are read in UCS-2 and from message_payload too', async (test) => {
    const delivered = [['dlv_01', '1', 'delivered', null]]
    const text = receiptText('1', 'DELIVRD')
    assert.deepEqual(
      await report(test, '1', { esm_class: 4, data_coding: 8, short_message: text }),
      delivered,
    )
    assert.deepEqual(
      await report(test, '1', { esm_class: 4, short_message: '', message_payload: Buffer.from(text) }),
      delivered,
    )
  })

  it('of a message that is not remembered are passed on once, with every name that it may have', async (test) => {
    const { peer, account, context } = await openWithPeer(test)
    await account.send(outgoing(), generousDeadline())
    peer.sessions[0]?.deliver_sm({ esm_class: 4, short_message: receiptText('662316', 'DELIVRD') })
    await context.receipt(1)
    assert.deepEqual(
      context.receipts.map(({ deliveryId, messageId, otherIds }) => [deliveryId, messageId, otherIds]),
      [[null, '662316', ['a1b2c', String(0x662316)]]],
    )
  })

  it('are not mistaken for those of a message whose name reads the same in another form', async (test) => {
    const { peer, account, context } = await openWithPeer(test)
    // The carrier gives ids in hexadecimal, and reports them in decimal.
    for (const [deliveryId, message_id] of [
      ['dlv_05', '5'],
      ['dlv_10', '10'],
      ['dlv_16', '16'],
      ['dlv_1f', '1F'],
    ] as const) {
      peer.onSubmit = answerWith({ message_id })
      await account.send(outgoing({ deliveryId }), generousDeadline())
    }
    const deliver = (id: string) =>
      peer.sessions[0]?.deliver_sm({ esm_class: 4, short_message: receiptText(id, 'DELIVRD') })
    for (const id of ['5', '16', '31', '16']) deliver(id)
    await context.receipt(4)
    assert.deepEqual(
      context.receipts.map(({ deliveryId, messageId }) => [deliveryId, messageId]),
      [
        ['dlv_05', '5'],
        // It may be either message's, because it is not known yet which form this carrier uses.
        [null, '16'],
        ['dlv_1f', '1f'],
        ['dlv_10', '10'],
      ],
    )
  })

  it('of a carrier that mixes both forms find their messages, where the number is too long for a mistake', async (test) => {
    const { peer, account, context } = await openWithPeer(test)
    for (const [deliveryId, message_id] of [
      ['dlv_01', '0A1B2C'],
      ['dlv_02', '0A1B2D'],
      ['dlv_03', '0A1B2E'],
    ] as const) {
      peer.onSubmit = answerWith({ message_id })
      await account.send(outgoing({ deliveryId }), generousDeadline())
    }
    for (const id of ['0A1B2C', '662317', '0A1B2E', '662316']) {
      peer.sessions[0]?.deliver_sm({ esm_class: 4, short_message: receiptText(id, 'DELIVRD') })
    }
    await context.receipt(4)
    assert.deepEqual(
      context.receipts.map(({ deliveryId, messageId }) => [deliveryId, messageId]),
      [
        ['dlv_01', 'a1b2c'],
        ['dlv_02', 'a1b2d'],
        ['dlv_03', 'a1b2e'],
        ['dlv_01', 'a1b2c'],
      ],
    )
  })

  it('of later messages follow the form that the carrier was seen to use', async (test) => {
    const { peer, account, context } = await openWithPeer(test)
    peer.onSubmit = answerWith({ message_id: '0A1B2C' })
    await account.send(outgoing(), generousDeadline())
    peer.sessions[0]?.deliver_sm({ esm_class: 4, short_message: receiptText('662316', 'DELIVRD') })
    peer.sessions[0]?.deliver_sm({ esm_class: 4, short_message: receiptText('662317', 'DELIVRD') })
    await context.receipt(2)
    assert.deepEqual(
      context.receipts.map(({ deliveryId, messageId }) => [deliveryId, messageId]),
      [
        ['dlv_01', 'a1b2c'],
        [null, 'a1b2d'],
      ],
    )
  })

  it('of a message in parts: delivered with the last part, failed with the first failure', async (test) => {
    const { peer, account, context } = await openWithPeer(test)
    const text = 'x'.repeat(200)
    const outcome = await account.send(outgoing({ text }), generousDeadline())
    await account.send(outgoing({ deliveryId: 'dlv_02', text }), generousDeadline())
    assert.deepEqual(outcome, { kind: 'accepted', messageId: '1' })
    const deliver = (id: string, state: string) =>
      peer.sessions[0]?.deliver_sm({ esm_class: 4, short_message: receiptText(id, state) })
    deliver('2', 'DELIVRD')
    deliver('4', 'UNDELIV')
    deliver('1', 'DELIVRD')
    await context.receipt(2)
    assert.deepEqual(
      context.receipts.map(({ deliveryId, messageId, status }) => [deliveryId, messageId, status]),
      [
        ['dlv_02', '3', 'failed'],
        ['dlv_01', '1', 'delivered'],
      ],
    )
  })

  it('arrive before anything was sent since the start', async (test) => {
    const peer = await startSmppPeer(test)
    const { context } = open(test, peer.port)
    await eventually(() => peer.binds.length === 1)
    peer.sessions[0]?.deliver_sm({
      esm_class: 4,
      short_message: '',
      receipted_message_id: '0A1B2C',
      message_state: 2,
    })
    assert.equal((await context.receipt(1)).messageId, 'a1b2c')
  })
})
