import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { smtp } from '../../src/channels/smtp/index.ts'
import { verifyReturnPath } from '../../src/channels/smtp/return-path.ts'
import { TLS_CERTIFICATE, TLS_KEY } from './loopback-tls.ts'
import { refusal, startLineServer, startSmtpPeer } from './smtp-peer.ts'
import { mail, open, RETURN_PATH } from './smtp-support.ts'
import { closedPort, generousDeadline } from './support.ts'

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

  it('an address beyond ASCII waits while the server cannot be reached, and no longer', async (test) => {
    const beyond = mail({ recipient: 'üser@x.example' })
    const nowhere = open(test, closedPort)
    assert.equal((await nowhere.send(beyond, generousDeadline())).kind, 'retry')
    let isDown = true
    const peer = await startSmtpPeer(test, {
      onConnect: (_session, done) => done(isDown ? refusal(421, '4.3.2 Shutting down') : null),
    })
    const account = open(test, peer.port)
    assert.equal((await account.send(beyond, generousDeadline())).kind, 'retry')
    isDown = false
    assert.equal((await account.send(beyond, generousDeadline())).kind, 'accepted')
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
    assert.equal(
      commands[1],
      'RCPT TO:<person@x.example> NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;person@x.example',
    )
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
