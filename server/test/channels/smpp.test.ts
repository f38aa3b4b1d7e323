import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { smpp } from '../../src/channels/smpp/index.ts'
import { TLS_CERTIFICATE, TLS_KEY } from './loopback-tls.ts'
import { type PeerPdu, receiptText, type SmppPeer, startSmppPeer } from './smpp-peer.ts'
import {
  closedPort,
  deferred,
  eventually,
  generousDeadline,
  listen,
  outgoing,
  type RecordingContext,
  recordingContext,
} from './support.ts'

function open(
  test: TestContext,
  port: number,
  changes: object = {},
): { account: ProviderAccount; context: RecordingContext } {
  const context = recordingContext()
  const settings = smpp.settings.parse({
    host: '127.0.0.1',
    port,
    system_id: 'user',
    password: 'pass',
    source_addr: 'ACME',
    ...changes,
  })
  const account = smpp.open(settings, context)
  test.after(account.close)
  return { account, context }
}

async function openWithPeer(test: TestContext, changes: object = {}) {
  const peer = await startSmppPeer(test)
  return { peer, ...open(test, peer.port, changes) }
}

const answerWith =
  (fields: object): SmppPeer['onSubmit'] =>
  (pdu, session) =>
    session.send(pdu.response(fields))

describe('smpp: sending', () => {
  it('submits one segment with a validity, a receipt request and a derived sender', async (test) => {
    const { peer, account } = await openWithPeer(test)
    assert.deepEqual(await account.send(outgoing(), generousDeadline()), { kind: 'accepted', messageId: '1' })
    const [bind] = peer.binds
    assert.deepEqual([bind?.system_id, bind?.password], ['user', 'pass'])
    const [submit] = peer.submits
    assert.deepEqual(
      [submit?.source_addr_ton, submit?.source_addr_npi, submit?.source_addr, submit?.destination_addr],
      [5, 0, 'ACME', '14155550123'],
    )
    assert.deepEqual([submit?.registered_delivery, submit?.esm_class, submit?.data_coding], [1, 0, 0])
    assert.equal(submit?.short_message.message, 'Your ACME code is 123456')
  })

  it('derives the type of a short code and of a number, unless it is set', async (test) => {
    const peer = await startSmppPeer(test)
    for (const changes of [
      { source_addr: '72345' },
      { source_addr: '+14155550100' },
      { source_addr: '14155550100' },
      { source_addr: '72345', source_ton: 0, source_npi: 9 },
    ]) {
      await open(test, peer.port, changes).account.send(outgoing(), generousDeadline())
    }
    assert.deepEqual(
      peer.submits.map((pdu) => [pdu.source_addr_ton, pdu.source_addr_npi, pdu.source_addr]),
      [
        [3, 0, '72345'],
        [1, 1, '14155550100'],
        [1, 1, '14155550100'],
        [0, 9, '72345'],
      ],
    )
  })

  it('carries text that GSM-7 lacks as UCS-2, and long text in parts that a phone joins', async (test) => {
    const { peer, account } = await openWithPeer(test)
    await account.send(outgoing({ text: 'Ваш код 123456 👍' }), generousDeadline())
    const text = 'Your code is 123456. '.repeat(10)
    const outcome = await account.send(outgoing({ text }), generousDeadline())
    assert.deepEqual(outcome, { kind: 'accepted', messageId: '2' })
    const [unicode, ...parts] = peer.submits
    assert.deepEqual([unicode?.data_coding, unicode?.short_message.message], [8, 'Ваш код 123456 👍'])
    assert.equal(parts.length, 2)
    assert.equal(parts.map((part) => part.short_message.message).join(''), text)
    assert.deepEqual(
      parts.map((part) => [part.esm_class, part.short_message.udh?.[0]?.subarray(3).toString('hex')]),
      [
        [0x40, '0201'],
        [0x40, '0202'],
      ],
    )
  })

  it('binds over TLS when the certificate is trusted, and not otherwise', async (test) => {
    const peer = await startSmppPeer(test, { key: TLS_KEY, cert: TLS_CERTIFICATE })
    const trusting = open(test, peer.port, { tls: true, tls_ca: TLS_CERTIFICATE })
    assert.equal((await trusting.account.send(outgoing(), generousDeadline())).kind, 'accepted')
    const wary = open(test, peer.port, { tls: true })
    assert.equal((await wary.account.send(outgoing(), generousDeadline())).kind, 'retry')
    assert.equal(peer.binds.length, 1)
  })

  it('maps every command status to what follows from it', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const [status, kind] of [
      [0x0b, 'unreachable'],
      [0x45, 'refused'],
      [0x0a, 'refused'],
      [0xfe, 'refused'],
      [0x400, 'refused'],
      [0x08, 'retry'],
      [0x64, 'retry'],
      [0x0e, 'broken'],
    ] as const) {
      peer.onSubmit = answerWith({ command_status: status })
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.equal(outcome.kind, kind, status.toString(16))
    }
  })

  it('accepts without a name when the carrier gives none', async (test) => {
    const { peer, account } = await openWithPeer(test)
    peer.onSubmit = answerWith({ message_id: '' })
    assert.deepEqual(await account.send(outgoing(), generousDeadline()), {
      kind: 'accepted',
      messageId: null,
    })
  })

  it('slows down when the carrier throttles, and recovers', async (test) => {
    const { peer, account } = await openWithPeer(test)
    const times: number[] = []
    peer.onSubmit = (pdu, session) => {
      times.push(performance.now())
      session.send(pdu.response(times.length === 1 ? { command_status: 0x58 } : { message_id: '1' }))
    }
    const throttled = await account.send(outgoing(), generousDeadline())
    assert.ok(throttled.kind === 'retry')
    assert.equal(throttled.afterSeconds, 1)
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'accepted')
    assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 240)
  })

  it('gives up a throttled wait at the deadline, certain that nothing was sent', async (test) => {
    const { peer, account } = await openWithPeer(test)
    peer.onSubmit = answerWith({ command_status: 0x14 })
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'retry')
    const outcome = await account.send(outgoing(), AbortSignal.timeout(20))
    assert.ok(outcome.kind === 'retry')
    assert.equal(outcome.error.code, 'window_full')
    assert.equal(peer.submits.length, 1)
  })

  it('never has more than the window on its way, and sends the rest in order', async (test) => {
    const { peer, account } = await openWithPeer(test, { window: 3 })
    const held: (() => void)[] = []
    let arrived = deferred()
    peer.onSubmit = (pdu, session) => {
      held.push(() => session.send(pdu.response({ message_id: pdu.short_message.message })))
      if (held.length % 3 === 0) arrived.resolve()
    }
    const sending = [...Array(9).keys()].map((index) =>
      account.send(outgoing({ deliveryId: `dlv_${index}`, text: String(index + 1) }), generousDeadline()),
    )
    for (const expected of [3, 6, 9]) {
      await arrived.promise
      assert.equal(peer.submits.length, expected)
      arrived = deferred()
      for (const answer of held.splice(0)) answer()
    }
    const outcomes = await Promise.all(sending)
    assert.deepEqual(
      outcomes.map((outcome) => outcome.kind === 'accepted' && outcome.messageId),
      ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    )
  })
})

describe('smpp: the connection', () => {
  it('is uncertain when it is lost between a message and its answer', async (test) => {
    const { peer, account } = await openWithPeer(test)
    peer.onSubmit = (_pdu, session) => session.socket.destroy()
    const outcome = await account.send(outgoing(), generousDeadline())
    assert.equal(outcome.kind, 'uncertain')
    assert.equal(peer.submits.length, 1)
  })

  it('is uncertain when the deadline passes first, and a late answer still names the delivery', async (test) => {
    const { peer, account, context } = await openWithPeer(test)
    const deadline = new AbortController()
    const arrived = deferred<() => void>()
    peer.onSubmit = (pdu, session) => {
      arrived.resolve(() => {
        session.send(pdu.response({ message_id: '77' }))
        session.deliver_sm({ esm_class: 4, short_message: receiptText('77', 'DELIVRD') })
      })
      deadline.abort()
    }
    const outcome = await account.send(outgoing(), deadline.signal)
    assert.equal(outcome.kind, 'uncertain')
    const answer = await arrived.promise
    answer()
    const receipt = await context.receipt(1)
    assert.deepEqual([receipt.deliveryId, receipt.messageId, receipt.status], ['dlv_01', '77', 'delivered'])
  })

  it('may be tried again when nothing listens', async (test) => {
    const { account } = open(test, await closedPort(createServer))
    const outcome = await account.send(outgoing(), generousDeadline())
    assert.ok(outcome.kind === 'retry')
    assert.equal(outcome.error.code, 'ECONNREFUSED')
  })

  it('is broken when the carrier refuses the credentials, and says so in the log without them', async (test) => {
    const peer = await startSmppPeer(test)
    for (const status of [0x0d, 0x0e]) {
      peer.bindStatus = status
      const { account, context } = open(test, peer.port)
      assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'broken')
      assert.doesNotMatch(context.logged.join('\n'), /pass|4155550123/)
    }
    peer.bindStatus = 0x05
    assert.equal((await open(test, peer.port).account.send(outgoing(), generousDeadline())).kind, 'retry')
  })

  it('comes back by itself after it was lost', async (test) => {
    const { peer, account } = await openWithPeer(test)
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'accepted')
    peer.sessions[0]?.socket.destroy()
    await eventually(() => peer.binds.length === 2)
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'accepted')
    assert.equal(peer.sessions.length, 2)
  })

  it('comes back after the carrier unbinds it, and has answered the unbind', async (test) => {
    const { peer, account } = await openWithPeer(test)
    await account.send(outgoing(), generousDeadline())
    const unbound = deferred<PeerPdu>()
    peer.sessions[0]?.unbind((response) => unbound.resolve(response))
    assert.equal((await unbound.promise).command_status, 0)
    await eventually(() => peer.binds.length === 2)
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'accepted')
  })

  it('asks whether the carrier is still there, and leaves one that does not answer', async (test) => {
    const { peer, account } = await openWithPeer(test, { enquire_link_s: 1 })
    await account.send(outgoing(), generousDeadline())
    const asked = deferred()
    peer.sessions[0]?.removeAllListeners('enquire_link')
    peer.sessions[0]?.on('enquire_link', () => asked.resolve())
    await asked.promise
    await eventually(() => peer.binds.length === 2)
  })

  it('answers when the carrier asks', async (test) => {
    const { peer, account } = await openWithPeer(test)
    await account.send(outgoing(), generousDeadline())
    const answered = deferred<PeerPdu>()
    peer.sessions[0]?.enquire_link((response) => answered.resolve(response))
    assert.equal((await answered.promise).command, 'enquire_link_resp')
  })

  it('leaves a carrier that asks without end and never reads the answers', async (test) => {
    const bindResponse = Buffer.from('0000001180000009000000000000000100', 'hex')
    const questions = Buffer.concat(
      Array<Buffer>(4_096).fill(Buffer.from('00000010000000150000000000000007', 'hex')),
    )
    const maxRounds = 1_024
    const left = deferred<void>()
    const server = createServer((socket) => {
      let rounds = 0
      socket.once('close', () => left.resolve())
      const ask = () => {
        while (rounds++ < maxRounds && socket.write(questions));
      }
      socket.on('drain', ask)
      socket.once('data', () => {
        socket.pause()
        socket.write(bindResponse)
        ask()
      })
    })
    const { context } = open(test, await listen(test, server))
    await left.promise
    await eventually(() => context.logged.some((line) => line.includes('answers_unread')))
  })

  it('says goodbye when it is closed, after what was on its way', async (test) => {
    const { peer, account } = await openWithPeer(test)
    const arrived = deferred<() => void>()
    peer.onSubmit = (pdu, session) => arrived.resolve(() => session.send(pdu.response({ message_id: '5' })))
    const sending = account.send(outgoing(), generousDeadline())
    const answer = await arrived.promise
    const closing = account.close()
    answer()
    assert.deepEqual(await sending, { kind: 'accepted', messageId: '5' })
    await closing
    assert.equal(peer.unbinds.length, 1)
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'retry')
  })

  it('closes within a bound when the carrier never answers again', async (test) => {
    const { peer, account } = await openWithPeer(test)
    const arrived = deferred()
    peer.onSubmit = (_pdu, session) => {
      session.removeAllListeners('unbind')
      arrived.resolve()
    }
    const sending = account.send(outgoing(), generousDeadline())
    await arrived.promise
    const startedMs = performance.now()
    await account.close()
    assert.ok(performance.now() - startedMs < 6_000)
    assert.equal((await sending).kind, 'uncertain')
  })

  it('closes while it is still connecting or waiting to connect again', async (test) => {
    const connecting = open(test, (await startSmppPeer(test)).port)
    await connecting.account.close()
    const waiting = open(test, await closedPort(createServer))
    await waiting.account.send(outgoing(), generousDeadline())
    await waiting.account.close()
  })
})

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

  /** Sends one message under this name and has the carrier report on it. */
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
      const fields = { esm_class: 4, short_message: '', receipted_message_id: '1', message_state: state }
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
    assert.deepEqual(await report(test, '1', { esm_class: 4, short_message: 'text:id:1 stat:DELIVRD' }), [])
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

  it('of a message that is not remembered are passed on under every name it may have', async (test) => {
    const { peer, account, context } = await openWithPeer(test)
    await account.send(outgoing(), generousDeadline())
    peer.sessions[0]?.deliver_sm({ esm_class: 4, short_message: receiptText('662316', 'DELIVRD') })
    await context.receipt(3)
    assert.deepEqual(
      context.receipts.map(({ deliveryId, messageId }) => [deliveryId, messageId]),
      [
        [null, '662316'],
        [null, 'a1b2c'],
        [null, String(0x662316)],
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

describe('smpp: settings', () => {
  it('have sensible defaults and tell what is wrong', () => {
    const base = { host: 'smsc.example', system_id: 'user', password: 'pass', source_addr: 'ACME' }
    const parsed = smpp.settings.parse(base)
    assert.deepEqual([parsed.port, parsed.tls, parsed.window, parsed.enquire_link_s], [2775, false, 10, 30])
    for (const wrong of [
      { source_addr: 'TWELVE CHARS' },
      { port: 0 },
      { window: 0 },
      { system_id: '' },
      { extra: 1 },
    ]) {
      assert.equal(smpp.settings.safeParse({ ...base, ...wrong }).success, false, JSON.stringify(wrong))
    }
  })
})
