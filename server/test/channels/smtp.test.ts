import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { smtp } from '../../src/channels/smtp/index.ts'
import { verifyReturnPath } from '../../src/channels/smtp/return-path.ts'
import { TLS_CERTIFICATE, TLS_KEY } from './loopback-tls.ts'
import { refusal, startLineServer, startSmtpPeer } from './smtp-peer.ts'
import { closedPort, deferred, generousDeadline, outgoing, recordingContext } from './support.ts'

const RETURN_PATH = { domain: 'mail.example', secret: 'a secret of sixteen or more' }

function open(test: TestContext, port: number, changes: object = {}): ProviderAccount {
  const settings = smtp.settings.parse({
    host: '127.0.0.1',
    port,
    from: 'ACME <no-reply@acme.example>',
    return_path_domain: RETURN_PATH.domain,
    return_path_secret: RETURN_PATH.secret,
    ...changes,
  })
  const account = smtp.open(settings, recordingContext())
  test.after(account.close)
  return account
}

const mail = (changes: object = {}) => outgoing({ recipient: 'person@x.example', ...changes })

async function outcomeOf(test: TestContext, options: SMTPServerOptions) {
  const peer = await startSmtpPeer(test, options)
  return open(test, peer.port).send(mail(), generousDeadline())
}

describe('smtp: sending', () => {
  it('sends text and html from a return path of its own, marked as automatic', async (test) => {
    const peer = await startSmtpPeer(test)
    const outcome = await open(test, peer.port).send(mail(), generousDeadline())
    assert.deepEqual(outcome, { kind: 'accepted', messageId: null })
    const [received] = peer.received
    const sender = received?.envelope.mailFrom
    assert.ok(sender)
    assert.match(sender.address, /^bounce\+dlv_01=[0-9a-f]{20}@mail\.example$/)
    assert.equal(verifyReturnPath(sender.address, RETURN_PATH), 'dlv_01')
    assert.deepEqual(
      received?.envelope.rcptTo.map(({ address }) => address),
      ['person@x.example'],
    )
    const header = (name: string) => received?.mail.headers.find(({ key }) => key === name)?.value
    assert.equal(header('auto-submitted'), 'auto-generated')
    assert.equal(header('x-auto-response-suppress'), 'All')
    assert.equal(received?.mail.messageId, '<dlv_01@mail.example>')
    assert.equal(received?.mail.subject, 'Your ACME code')
    assert.deepEqual(received?.mail.from, { name: 'ACME', address: 'no-reply@acme.example' })
    assert.match(received?.mail.text ?? '', /Your ACME code is 123456/)
    assert.match(received?.mail.html ?? '', /<b>123456<\/b>/)
  })

  it('an address beyond ASCII goes to a server that takes such addresses', async (test) => {
    const peer = await startSmtpPeer(test)
    const account = open(test, peer.port)
    for (const deliveryId of ['dlv_01', 'dlv_02']) {
      const outcome = await account.send(
        mail({ recipient: 'üser@xn--bcher-kva.example', deliveryId }),
        generousDeadline(),
      )
      assert.deepEqual(outcome, { kind: 'accepted', messageId: null })
    }
    const [received] = peer.received
    assert.equal(received?.envelope.smtpUtf8, true)
    assert.match(received?.envelope.rcptTo[0]?.address ?? '', /^üser@(xn--bcher-kva|bücher)\.example$/)
  })

  it('an address beyond ASCII fails with the reason where the server does not take such addresses', async (test) => {
    const peer = await startSmtpPeer(test, { hideSMTPUTF8: true })
    const account = open(test, peer.port)
    const outcome = await account.send(mail({ recipient: 'üser@x.example' }), generousDeadline())
    assert.equal(outcome.kind, 'refused')
    assert.match(outcome.kind === 'refused' ? outcome.error.message : '', /SMTPUTF8/)
    assert.deepEqual(peer.received, [])
    assert.equal((await account.send(mail(), generousDeadline())).kind, 'accepted')
  })

  it('an address beyond ASCII waits while the server cannot be reached', async (test) => {
    const account = open(test, await closedPort(createServer))
    const outcome = await account.send(mail({ recipient: 'üser@x.example' }), generousDeadline())
    assert.equal(outcome.kind, 'retry')
  })

  it('asks for notices of success and failure only where the server gives them', async (test) => {
    const commands: string[] = []
    const lines = (extension: string) =>
      startLineServer(test, (line, socket) => {
        if (/^(MAIL|RCPT)/.test(line)) commands.push(line)
        if (line.startsWith('EHLO')) socket.write(`250-peer.example\r\n250 ${extension}\r\n`)
        else if (line === 'DATA') socket.write('354 go\r\n')
        else if (line === '.' || /^(MAIL|RCPT)/.test(line)) socket.write('250 2.0.0 ok\r\n')
      })
    const settings = { require_tls: false }
    await open(test, await lines('DSN'), settings).send(mail(), generousDeadline())
    await open(test, await lines('HELP'), settings).send(mail(), generousDeadline())
    const silent = { ...settings, return_path_domain: undefined, return_path_secret: undefined }
    await open(test, await lines('DSN'), silent).send(mail(), generousDeadline())
    const verp = /^MAIL FROM:<bounce\+dlv_01=[0-9a-f]{20}@mail\.example>/
    assert.match(commands[0] ?? '', new RegExp(`${verp.source} RET=HDRS ENVID=dlv_01$`))
    assert.equal(commands[1], 'RCPT TO:<person@x.example> NOTIFY=SUCCESS,FAILURE')
    assert.match(commands[2] ?? '', new RegExp(`${verp.source}$`))
    assert.equal(commands[3], 'RCPT TO:<person@x.example>')
    assert.deepEqual(commands.slice(4), ['MAIL FROM:<no-reply@acme.example>', 'RCPT TO:<person@x.example>'])
  })

  it('signs with DKIM when a key is set', async (test) => {
    const peer = await startSmtpPeer(test)
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const dkim = { dkim_domain: 'acme.example', dkim_selector: 'otp', dkim_private_key: privateKey }
    await open(test, peer.port, dkim).send(mail(), generousDeadline())
    assert.match(peer.received[0]?.raw ?? '', /^DKIM-Signature:[^\n]*d=acme\.example;[\s\S]*?s=otp;/)
  })

  it('writes to one address or to none, whatever the recipient holds', async (test) => {
    const peer = await startSmtpPeer(test)
    const account = open(test, peer.port)
    for (const recipient of [
      'a@x.example, b@evil.example',
      'a@x.example,b@evil.example',
      'a@x.example>\r\nRCPT TO:<b@evil.example',
      'group: a@x.example, b@evil.example;',
      '"a,b@evil.example"@x.example',
      'A <b@evil.example>',
      'nobody',
    ]) {
      assert.equal((await account.send(mail({ recipient }), generousDeadline())).kind, 'refused', recipient)
    }
    const recipients = ["o'brien+tag@x.example", 'ünïcode@exämple.org']
    for (const recipient of recipients) await account.send(mail({ recipient }), generousDeadline())
    assert.deepEqual(
      peer.received.map(({ envelope }) => envelope.rcptTo.map(({ address }) => address)),
      recipients.map((recipient) => [recipient]),
    )
  })

  it('keeps connections and uses them again', async (test) => {
    let connections = 0
    const peer = await startSmtpPeer(test, {
      onConnect: (_session, done) => {
        connections += 1
        done()
      },
    })
    const account = open(test, peer.port)
    for (const index of [1, 2, 3])
      await account.send(mail({ deliveryId: `dlv_${index}` }), generousDeadline())
    assert.equal(peer.received.length, 3)
    assert.equal(connections, 1)
  })

  it('speaks TLS from the first byte or after STARTTLS, to those it trusts', async (test) => {
    const tls = { key: TLS_KEY, cert: TLS_CERTIFICATE }
    const secure = await startSmtpPeer(test, { ...tls, secure: true })
    const upgraded = await startSmtpPeer(test, { ...tls, disabledCommands: ['AUTH'] })
    const trusting = { tls_ca: TLS_CERTIFICATE }
    const kinds = [
      await open(test, secure.port, { ...trusting, secure: true }).send(mail(), generousDeadline()),
      await open(test, upgraded.port, { ...trusting, require_tls: true }).send(mail(), generousDeadline()),
      await open(test, secure.port, { secure: true }).send(mail(), generousDeadline()),
      await open(test, upgraded.port, { require_tls: true }).send(mail(), generousDeadline()),
    ].map(({ kind }) => kind)
    assert.deepEqual(kinds, ['accepted', 'accepted', 'retry', 'retry'])
  })

  it('gives no password to a server without TLS unless told to', async (test) => {
    const passwords: string[] = []
    const peer = await startSmtpPeer(test, {
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (auth, _session, done) => {
        passwords.push(String(auth.password))
        done(null, { user: 'user' })
      },
    })
    const credentials = { user: 'user', password: 'hunter2' }
    const wary = await open(test, peer.port, credentials).send(mail(), generousDeadline())
    assert.equal(wary.kind, 'broken')
    assert.deepEqual(passwords, [])
    const told = await open(test, peer.port, { ...credentials, require_tls: false }).send(
      mail(),
      generousDeadline(),
    )
    assert.equal(told.kind, 'accepted')
    assert.deepEqual(passwords, ['hunter2'])
  })
})

describe('smtp: failures', () => {
  it('is unreachable when the mailbox or its domain does not exist', async (test) => {
    for (const [code, reply] of [
      [550, '5.1.1 <person@x.example>: Recipient address rejected: User unknown'],
      [550, '5.1.2 Bad destination system'],
      [556, '5.1.10 Recipient address has null MX'],
      [550, 'No such user here'],
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

  it('may be tried again when nothing listens, or nobody greets', async (test) => {
    const nobody = await open(test, await closedPort(createServer)).send(mail(), generousDeadline())
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
        // The answer comes after the deadline: the client must not go on to the content.
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
    assert.ok(performance.now() - startedMs < 5_000)
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

describe('smtp: settings', () => {
  it('tell what goes together', () => {
    const base = { host: 'mail.example', from: 'no-reply@acme.example' }
    assert.equal(smtp.settings.parse(base).port, 587)
    for (const wrong of [
      { user: 'user' },
      { return_path_domain: 'mail.example' },
      { return_path_domain: 'mail.example', return_path_secret: 'short' },
      { dkim_domain: 'acme.example', dkim_selector: 'otp' },
      { from: 'nobody' },
      { from: 'A <a@b.example>\r\nBcc: c@d.example' },
      { extra: true },
    ]) {
      assert.equal(smtp.settings.safeParse({ ...base, ...wrong }).success, false, JSON.stringify(wrong))
    }
  })
})
