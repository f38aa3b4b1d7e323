import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { type PeerPdu, receiptText, startSmppPeer } from './smpp-peer.ts'
import { open, openWithPeer } from './smpp-support.ts'
import { closedPort, deferred, eventually, generousDeadline, listen, outgoing } from './support.ts'

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

  it('counts the answer that has arrived when the deadline passes: after a pause, timers come first', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const [status, kind] of [
      [0x00, 'accepted'],
      [0x0b, 'unreachable'],
    ] as const) {
      const deadline = new AbortController()
      peer.onSubmit = (pdu, session) => {
        session.send(pdu.response({ command_status: status, message_id: '77' }))
        deadline.abort()
      }
      assert.equal((await account.send(outgoing(), deadline.signal)).kind, kind)
    }
  })

  it('is bound when the answer to the bind has arrived, however long the process stood still', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const peer = await startSmppPeer(test)
    const { account, context } = open(test, peer.port)
    // All time limits of this side are over before it reads the answer.
    peer.onBound = () => test.mock.timers.tick(60_000)
    const outcome = await account.send(outgoing(), generousDeadline())
    test.mock.timers.reset()
    assert.equal(outcome.kind, 'accepted', context.logged.join('\n'))
    assert.equal(peer.sessions.length, 1)
  })

  it('may be tried again when nothing listens', async (test) => {
    const { account } = open(test, closedPort, { window: 1 })
    // The second one finds the window free.
    for (let message = 0; message < 2; message++) {
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.ok(outcome.kind === 'retry')
      assert.equal(outcome.error.code, 'ECONNREFUSED')
      assert.ok((outcome.afterSeconds ?? 0) >= 1)
    }
  })

  it('is broken when the carrier refuses the credentials, and says so in the log without them', async (test) => {
    const peer = await startSmppPeer(test)
    for (const status of [0x0e, 0x0f]) {
      peer.bindStatus = status
      const { account, context } = open(test, peer.port)
      assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'broken')
      assert.doesNotMatch(context.logged.join('\n'), /pass|4155550123/)
    }
  })

  it('may be tried again when the bind fails for another reason, such as too many binds, and then binds', async (test) => {
    const peer = await startSmppPeer(test)
    for (const status of [0x05, 0x0d]) {
      peer.bindStatus = status
      const { account } = open(test, peer.port)
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.ok(outcome.kind === 'retry', outcome.kind)
      assert.deepEqual(account.connection?.(), { kind: 'down', error: outcome.error })
      peer.bindStatus = 0
      await eventually(() => account.connection?.().kind === 'up')
      assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'accepted')
    }
  })

  it('comes back by itself after it was lost', async (test) => {
    const { peer, account } = await openWithPeer(test)
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'accepted')
    peer.sessions[0]?.socket.destroy()
    await eventually(() => peer.binds.length === 2 && account.connection?.().kind === 'up')
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'accepted')
    assert.equal(peer.sessions.length, 2)
  })

  it('comes back after the carrier unbinds it, and has answered the unbind', async (test) => {
    const { peer, account } = await openWithPeer(test)
    await account.send(outgoing(), generousDeadline())
    const unbound = deferred<PeerPdu>()
    peer.sessions[0]?.unbind((response) => unbound.resolve(response))
    assert.equal((await unbound.promise).command_status, 0)
    await eventually(() => peer.binds.length === 2 && account.connection?.().kind === 'up')
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'accepted')
  })

  it('asks whether the carrier is still there, and leaves one that does not answer', async (test) => {
    const { peer } = await openWithPeer(test, { enquire_link_s: 1 })
    peer.onEnquire = () => {}
    await eventually(() => peer.enquiries > 0 && peer.binds.length > 1)
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
    // Whatever the account has written comes before its answer.
    await new Promise((resolve) => peer.sessions[0]?.enquire_link(resolve))
    assert.equal(peer.unbinds.length, 0)
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
    assert.ok(performance.now() - startedMs < 20_000)
    assert.equal((await sending).kind, 'uncertain')
  })

  it('closes while it is still connecting or waiting to connect again', async (test) => {
    const connecting = open(test, (await startSmppPeer(test)).port)
    await connecting.account.close()
    const waiting = open(test, closedPort)
    await waiting.account.send(outgoing(), generousDeadline())
    await waiting.account.close()
  })
})
