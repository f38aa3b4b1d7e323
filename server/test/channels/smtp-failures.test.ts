import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { TLS_CERTIFICATE, TLS_KEY } from './loopback-tls.ts'
import { refusal, startLineServer, startSmtpPeer } from './smtp-peer.ts'
import { mail, open, outcomeOf } from './smtp-support.ts'
import { closedPort, deferred, generousDeadline } from './support.ts'

describe('smtp: failures', () => {
  it('is unreachable when the mailbox or its domain does not exist', async (test) => {
    for (const [code, reply] of [
      [550, '5.1.1 <person@x.example>: Recipient address rejected: User unknown'],
      [550, '5.1.2 Bad destination system'],
      [556, '5.1.10 Recipient address has null MX'],
      [550, 'No such user here'],
      [550, '5.0.0 <person@x.example>... User unknown'],
    ] as const) {
      const outcome = await outcomeOf(test, { onRcptTo: (_to, _session, done) => done(refusal(code, reply)) })
      assert.equal(outcome.kind, 'unreachable', reply)
      assert.doesNotMatch(JSON.stringify(outcome), /person@/)
    }
  })

  it('is refused for any other permanent reply, and may be tried again after a temporary one', async (test) => {
    for (const [code, reply, kind] of [
      [550, '5.7.1 Relaying denied', 'refused'],
      [550, '5.1.8 Sender address rejected', 'refused'],
      [550, '5.0.0 Sender domain does not exist', 'refused'],
      [552, '5.2.2 Mailbox full', 'refused'],
      [450, '4.2.0 Greylisted, come back later', 'retry'],
      [451, '4.3.0 Try again', 'retry'],
      [421, '4.3.2 Shutting down', 'retry'],
      [530, '5.7.0 Authentication required', 'broken'],
    ] as const) {
      const outcome = await outcomeOf(test, { onRcptTo: (_to, _session, done) => done(refusal(code, reply)) })
      assert.equal(outcome.kind, kind, reply)
    }
    for (const [code, reply, kind] of [
      [554, '5.6.0 Content rejected', 'refused'],
      [452, '4.3.1 Out of space', 'retry'],
    ] as const) {
      const outcome = await outcomeOf(test, {
        onData: (stream, _session, done) => {
          stream.on('end', () => done(refusal(code, reply))).resume()
        },
      })
      assert.equal(outcome.kind, kind, reply)
    }
  })

  it('is broken when the sign-in is refused', async (test) => {
    const peer = await startSmtpPeer(test, {
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(refusal(535, '5.7.8 Bad credentials hunter2')),
    })
    const settings = { user: 'user', password: 'hunter2', require_tls: false }
    const outcome = await open(test, peer.port, settings).send(mail(), generousDeadline())
    assert.equal(outcome.kind, 'broken')
  })

  it('says what is wrong with a certificate that nobody vouches for', async (test) => {
    const peer = await startSmtpPeer(test, { key: TLS_KEY, cert: TLS_CERTIFICATE, secure: true })
    const outcome = await open(test, peer.port, { secure: true }).send(mail(), generousDeadline())
    assert.deepEqual(outcome, {
      kind: 'retry',
      error: {
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        message: 'The mail server could not be reached: the certificate is self-signed.',
      },
      afterSeconds: null,
    })
  })

  it('may be tried again when nothing listens, or nobody greets', async (test) => {
    const nobody = await open(test, closedPort).send(mail(), generousDeadline())
    assert.equal(nobody.kind, 'retry')
    const slammed = await outcomeOf(test, { onConnect: (_session, done) => done(refusal(421, 'busy')) })
    assert.equal(slammed.kind, 'retry')
  })

  it('is uncertain when the connection is lost after the mail was written', async (test) => {
    const port = await startLineServer(test, (line, socket) => {
      if (line.startsWith('EHLO')) socket.write('250 peer.example\r\n')
      else if (line === 'DATA') socket.write('354 go\r\n')
      else if (line === '.') socket.destroy()
      else if (/^(MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n')
    })
    const outcome = await open(test, port).send(mail(), generousDeadline())
    assert.equal(outcome.kind, 'uncertain')
  })

  it('may be tried again when the connection is lost before any of the mail was written', async (test) => {
    const port = await startLineServer(test, (line, socket) => {
      if (line.startsWith('EHLO')) socket.write('250 peer.example\r\n')
      else socket.destroy()
    })
    const outcome = await open(test, port).send(mail(), generousDeadline())
    assert.equal(outcome.kind, 'retry')
  })

  it('is uncertain when the deadline passes after the mail was written', async (test) => {
    const deadline = new AbortController()
    const outcome = await outcomeOfDeadline(test, deadline, (line) => line === '.')
    assert.equal(outcome.kind, 'uncertain')
  })

  it('counts the reply that has arrived when the deadline passes: after a pause, timers come first', async (test) => {
    for (const [reply, kind] of [
      ['250 taken', 'accepted'],
      ['554 5.6.0 Content rejected', 'refused'],
    ] as const) {
      const deadline = new AbortController()
      const port = await startLineServer(test, (line, socket) => {
        if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n')
        else if (line === 'DATA') socket.write('354 go\r\n')
        else if (line === '.') {
          socket.write(`${reply}\r\n`)
          deadline.abort()
        }
      })
      assert.equal((await open(test, port).send(mail(), deadline.signal)).kind, kind)
    }
  })

  it('never sends what was given up before any of it was written', async (test) => {
    const deadline = new AbortController()
    const ended = deferred()
    const lines: string[] = []
    const port = await startLineServer(test, (line, socket) => {
      lines.push(line)
      if (line.startsWith('EHLO')) socket.write('250 peer.example\r\n')
      else if (line === 'DATA') socket.write('354 go\r\n')
      else if (line.startsWith('MAIL')) {
        socket.once('close', () => ended.resolve())
        deadline.abort()
        // The answer comes after the deadline, so the client must not send the content.
        setImmediate(() => socket.write('250 ok\r\n'))
      } else if (line.startsWith('RCPT')) socket.write('250 ok\r\n')
    })
    const outcome = await open(test, port).send(mail(), deadline.signal)
    assert.equal(outcome.kind, 'retry')
    await ended.promise
    assert.equal(lines.includes('.'), false)
    assert.equal(
      lines.some((line) => line.includes('123456')),
      false,
    )
  })

  it('never sends what was given up while it waited for a free connection', async (test) => {
    const held: (() => void)[] = []
    const full = deferred()
    const peer = await startSmtpPeer(test, {
      onRcptTo: (_to, _session, done) => {
        if (held.length === 10) done()
        else if (held.push(done) === 10) full.resolve()
      },
    })
    const account = open(test, peer.port)
    const sending = [...Array(10).keys()].map((index) =>
      account.send(mail({ deliveryId: `dlv_${index}` }), generousDeadline()),
    )
    await full.promise
    const deadline = new AbortController()
    const late = account.send(mail({ deliveryId: 'dlv_late', recipient: 'late@x.example' }), deadline.signal)
    deadline.abort()
    assert.equal((await late).kind, 'retry')
    for (const release of held) release()
    const outcomes = await Promise.all(sending)
    assert.ok(outcomes.every(({ kind }) => kind === 'accepted'))
    await account.close()
    assert.equal(peer.received.length, 10)
    assert.equal(
      peer.received.some(({ raw }) => raw.includes('late@x.example')),
      false,
    )
  })

  it('closes within a bound when the server never answers again', async (test) => {
    const arrived = deferred()
    const port = await startLineServer(test, (line, socket) => {
      if (line.startsWith('EHLO')) socket.write('250 peer.example\r\n')
      else arrived.resolve()
    })
    const account = open(test, port)
    const sending = account.send(mail(), generousDeadline())
    await arrived.promise
    const startedMs = performance.now()
    await account.close()
    assert.ok(performance.now() - startedMs < 20_000)
    assert.equal((await sending).kind, 'retry')
  })
})

async function outcomeOfDeadline(
  test: TestContext,
  deadline: AbortController,
  isLast: (line: string) => boolean,
) {
  const port = await startLineServer(test, (line, socket) => {
    if (isLast(line)) deadline.abort()
    else if (line.startsWith('EHLO')) socket.write('250 peer.example\r\n')
    else if (line === 'DATA') socket.write('354 go\r\n')
    else if (/^(MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n')
  })
  return open(test, port).send(mail(), deadline.signal)
}
