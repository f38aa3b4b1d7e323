import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { smpp } from '../../src/channels/smpp/index.ts'
import { TLS_CERTIFICATE, TLS_KEY } from './loopback-tls.ts'
import { type PeerPdu, startSmppPeer } from './smpp-peer.ts'
import { answerWith, open, openWithPeer } from './smpp-support.ts'
import { deferred, generousDeadline, outgoing } from './support.ts'

const threeParts = 'Your code is 123456. '.repeat(20)
const numberOfPart = (part: PeerPdu) => part.short_message.udh?.[0]?.[4]

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
      { source_addr: '+4421' },
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
        [1, 1, '4421'],
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

  it('binds over TLS when the certificate is trusted, and not otherwise; it says whom it calls', async (test) => {
    const called: string[] = []
    const SNICallback = (name: string, done: (error: null) => void) => {
      called.push(name)
      done(null)
    }
    const peer = await startSmppPeer(test, { key: TLS_KEY, cert: TLS_CERTIFICATE, SNICallback })
    const trusting = open(test, peer.port, { tls: true, tls_ca: TLS_CERTIFICATE })
    assert.equal((await trusting.account.send(outgoing(), generousDeadline())).kind, 'accepted')
    const wary = open(test, peer.port, { tls: true, host: 'localhost' })
    assert.equal((await wary.account.send(outgoing(), generousDeadline())).kind, 'retry')
    assert.equal(peer.binds.length, 1)
    assert.equal(called[0], 'localhost')
  })

  it('maps every command status to what follows from it', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const [status, kind] of [
      [0x0b, 'unreachable'],
      [0x45, 'refused'],
      [0x0a, 'refused'],
      [0xfe, 'refused'],
      [0x400, 'refused'],
      [0x04, 'retry'],
      [0x08, 'retry'],
      [0x0d, 'retry'],
      [0x64, 'retry'],
      [0x0e, 'broken'],
      [0x0f, 'broken'],
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

  it('slows down when the carrier throttles, and recovers, each time anew', async (test) => {
    const { peer, account } = await openWithPeer(test)
    test.mock.timers.enable({ apis: ['setTimeout'] })
    for (let time = 0; time < 2; time++) {
      peer.onSubmit = answerWith({ command_status: 0x58 })
      const throttled = await account.send(outgoing(), generousDeadline())
      assert.ok(throttled.kind === 'retry')
      assert.equal(throttled.afterSeconds, 1)
      peer.onSubmit = answerWith({ message_id: '1' })
      const sending = account.send(outgoing(), generousDeadline())
      test.mock.timers.tick(250)
      assert.equal((await sending).kind, 'accepted')
    }
    test.mock.timers.reset()
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

  it('sends a throttled part again, and not the parts that were taken', async (test) => {
    for (const status of [0x58, 0x14]) {
      const { peer, account } = await openWithPeer(test)
      peer.onSubmit = (pdu, session) => {
        const count = peer.submits.length
        session.send(
          pdu.response(count === 2 || count === 3 ? { command_status: status } : { message_id: `${count}` }),
        )
      }
      const outcome = await account.send(outgoing({ text: threeParts }), generousDeadline())
      assert.deepEqual(outcome, { kind: 'accepted', messageId: '1' })
      assert.deepEqual(peer.submits.map(numberOfPart), [1, 2, 2, 2, 3])
    }
  })

  it('is uncertain once a part was taken and a later one is not, whatever the reason', async (test) => {
    for (const status of [0x08, 0x0b, 0x0e, 0x45]) {
      const { peer, account } = await openWithPeer(test)
      peer.onSubmit = (pdu, session) =>
        session.send(pdu.response(peer.submits.length === 2 ? { command_status: status } : {}))
      const outcome = await account.send(outgoing({ text: threeParts }), generousDeadline())
      assert.equal(outcome.kind, 'uncertain', status.toString(16))
      assert.equal(peer.submits.length, 2)
    }
  })

  it('is uncertain when the deadline comes before a throttled part may be sent again', async (test) => {
    const { peer, account } = await openWithPeer(test)
    const deadline = new AbortController()
    peer.onSubmit = (pdu, session) => {
      const isFirst = peer.submits.length === 1
      session.send(pdu.response({ command_status: isFirst ? 0 : 0x58 }))
      if (!isFirst) setTimeout(() => deadline.abort(), 50)
    }
    const outcome = await account.send(outgoing({ text: threeParts }), deadline.signal)
    assert.equal(outcome.kind, 'uncertain')
  })

  it('is uncertain when the window is full after a part was taken', async (test) => {
    const { peer, account } = await openWithPeer(test, { window: 1 })
    const deadline = new AbortController()
    const held = deferred<() => void>()
    peer.onSubmit = (pdu, session) => {
      const answer = () => session.send(pdu.response({ message_id: '1' }))
      if (peer.submits.length === 1) answer()
      else {
        held.resolve(answer)
        deadline.abort()
      }
    }
    const inParts = account.send(outgoing({ text: threeParts }), deadline.signal)
    const other = account.send(outgoing({ deliveryId: 'dlv_02' }), generousDeadline())
    const answer = await held.promise
    assert.equal((await inParts).kind, 'uncertain')
    answer()
    assert.equal((await other).kind, 'accepted')
    assert.equal(peer.submits.length, 2)
  })

  it('is uncertain when the carrier unbinds after a part was taken', async (test) => {
    const { peer, account } = await openWithPeer(test)
    peer.onSubmit = (pdu, session) => {
      if (peer.submits.length > 1) return
      // In one packet, so that the second part of the message finds no connection.
      session.socket.cork()
      session.send(pdu.response({ message_id: '1' }))
      session.unbind(() => {})
      session.socket.uncork()
    }
    const outcome = await account.send(outgoing({ text: threeParts }), generousDeadline())
    assert.equal(outcome.kind, 'uncertain')
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
