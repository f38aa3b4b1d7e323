import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { createTransport } from 'nodemailer'
import { startBounceListener } from '../../src/channels/smtp/bounce-listener.ts'
import { returnPath, verifyReturnPath } from '../../src/channels/smtp/return-path.ts'
import { recordingContext } from './support.ts'

const KEY = { domain: 'mail.example', secret: 'a secret of sixteen or more' }
const ADDRESS = returnPath('dlv_01', KEY)

async function start(test: TestContext, nowMs = () => performance.now(), host = '127.0.0.1') {
  const context = recordingContext()
  const listener = await startBounceListener({
    host,
    port: 0,
    verifyReturnPath: (address) => verifyReturnPath(address, KEY),
    onReceipt: context.onReceipt,
    nowMs,
  })
  test.after(listener.close)
  const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true })
  const deliver = (raw: string, to: string = ADDRESS) =>
    transport.sendMail({ envelope: { from: '', to: [to] }, raw: raw.replaceAll('\n', '\r\n') })
  return { context, listener, deliver }
}

function notification(fields: string): string {
  return `From: MAILER-DAEMON@mx.x.org
To: ${ADDRESS}
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

Delivery failed.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.x.org
Original-Envelope-Id: dlv_01
Arrival-Date: Wed, 01 Jan 2025 00:00:01 +0000

Original-Recipient: rfc822;u@x.org
Final-Recipient: rfc822;u@x.org
${fields}
Remote-MTA: dns; mx.x.org
Last-Attempt-Date: Wed, 01 Jan 2025 00:00:02 +0000
--b
Content-Type: text/rfc822-headers

Message-ID: <dlv_01@mail.example>
--b--
`
}

describe('bounce listener', () => {
  it('turns a failure notice into a receipt that names the delivery and not the person', async (test) => {
    const { context, deliver } = await start(test)
    await deliver(
      notification(`Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 <u@x.org>: Recipient address rejected:
 User unknown`),
    )
    assert.deepEqual(context.receipts, [
      {
        deliveryId: 'dlv_01',
        messageId: null,
        status: 'failed',
        error: { code: '5.1.1', message: '550 5.1.1 <[address]>: Recipient address rejected: User unknown' },
        unreachable: true,
      },
    ])
  })

  it('tells a mailbox that does not exist from one that is full or a sender that is not wanted', async (test) => {
    const { context, deliver } = await start(test)
    for (const status of ['5.1.1', '5.1.2', '5.1.10', '5.2.2', '5.7.1', '5.1.8']) {
      await deliver(notification(`Action: failed\nStatus: ${status}`))
    }
    assert.deepEqual(
      context.receipts.map((receipt) => receipt.unreachable),
      [true, true, true, false, false, false],
    )
  })

  it('turns a success notice into delivered, and says nothing of delayed, relayed or expanded', async (test) => {
    const { context, deliver } = await start(test)
    for (const action of ['delayed', 'relayed', 'expanded', 'Delivered']) {
      await deliver(notification(`Action: ${action}\nStatus: 2.0.0`))
    }
    assert.deepEqual(
      context.receipts.map(({ status, deliveryId }) => [status, deliveryId]),
      [['delivered', 'dlv_01']],
    )
  })

  const failed = 'Action: failed\nStatus: 5.1.1'
  for (const [what, raw, to] of [
    ['has comments', notification('Action: failed (no such person)\nStatus: 5.1.1 (bad mailbox)'), ADDRESS],
    ['says nothing of the message', notification(failed).replace(/Reporting-MTA(?:.+\n)+\n/, ''), ADDRESS],
    ['comes to the address in capitals', notification(failed), ADDRESS.toUpperCase()],
  ] as const) {
    it(`reads a notice that ${what}`, async (test) => {
      const { context, deliver } = await start(test)
      await deliver(raw, to)
      assert.deepEqual(
        context.receipts.map(({ deliveryId, status, error }) => [deliveryId, status, error?.code]),
        [['dlv_01', 'failed', '5.1.1']],
      )
    })
  }

  it('refuses every address that was not given out', async (test) => {
    const { context, deliver } = await start(test)
    const raw = notification('Action: failed\nStatus: 5.1.1')
    for (const address of [
      'postmaster@mail.example',
      'bounce+dlv_01@mail.example',
      ADDRESS.replace('dlv_01', 'dlv_02'),
      ADDRESS.replace('mail.example', 'other.example'),
      ADDRESS.replace(/=.{20}@/, `=${'0'.repeat(20)}@`),
      returnPath('dlv_01', { ...KEY, secret: 'another secret than ours' }),
    ]) {
      await assert.rejects(deliver(raw, address), { responseCode: 550 }, address)
    }
    assert.deepEqual(context.receipts, [])
  })

  it('takes what is no notice, and ignores it', async (test) => {
    const { context, deliver } = await start(test)
    await deliver('Subject: Out of office\n\nI am away.\n')
    await deliver(
      'Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n\n--b--\n',
    )
    await deliver('\n')
    assert.deepEqual(context.receipts, [])
  })

  it('reads a notice that wraps the whole message it is about', async (test) => {
    const { context, deliver } = await start(test)
    const original = notification('Action: delivered\nStatus: 2.0.0')
    const wrapped = notification('Action: failed\nStatus: 5.1.1').replace(
      'Content-Type: text/rfc822-headers\n\nMessage-ID: <dlv_01@mail.example>',
      `Content-Type: message/rfc822\n\n${original.replaceAll('--b', '--inner').replace('"b"', '"inner"')}`,
    )
    await deliver(wrapped)
    assert.deepEqual(
      context.receipts.map(({ status }) => status),
      ['failed'],
    )
  })

  it('reads a notice that stands in other parts, or is encoded', async (test) => {
    const { context, deliver } = await start(test)
    const fields =
      'Reporting-MTA: dns; mx.x.org\n\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 é\n'
    const inside = (encoding: string, content: string) => `Subject: x
content-type:multipart/mixed;
 BOUNDARY="outer b"

--outer b
Content-Type: Multipart/Report; report-type=delivery-status; boundary=inner

--inner
Content-Type: message/delivery-status
Content-Transfer-Encoding: ${encoding}

${content}
--outer b--
`
    const encoded = Buffer.from(fields).toString('base64')
    await deliver(inside('base64', `${encoded.slice(0, 60)}\n${encoded.slice(60)}`))
    await deliver(inside('quoted-printable', fields.replace('é', '=C3=A9').replace('failed', 'fai=\nled')))
    await deliver(inside('8bit', fields))
    assert.deepEqual(
      context.receipts.map(({ status, error }) => [status, error?.code, error?.message]),
      Array.from({ length: 3 }, () => ['failed', '5.1.1', '550 é']),
    )
  })

  it('refuses more than 256 KiB', async (test) => {
    const { context, deliver } = await start(test)
    const padding = `${'x'.repeat(76)}\n`.repeat(4_000)
    await assert.rejects(deliver(notification('Action: failed\nStatus: 5.1.1') + padding), {
      responseCode: 552,
    })
    assert.deepEqual(context.receipts, [])
  })

  it('asks for a notice again that could not be recorded', async (test) => {
    const listener = await startBounceListener({
      host: '127.0.0.1',
      port: 0,
      verifyReturnPath: (address) => verifyReturnPath(address, KEY),
      onReceipt: () => Promise.reject(new Error('away')),
    })
    test.after(listener.close)
    const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true })
    const raw = notification('Action: failed\nStatus: 5.1.1').replaceAll('\n', '\r\n')
    await assert.rejects(transport.sendMail({ envelope: { from: '', to: [ADDRESS] }, raw }), {
      responseCode: 451,
    })
  })

  it('takes notices over both kinds of addresses where it listens to both', async (test) => {
    const { context, listener } = await start(test, undefined, '::')
    const raw = notification('Action: failed\nStatus: 5.1.1').replaceAll('\n', '\r\n')
    for (const host of ['127.0.0.1', '::1']) {
      const transport = createTransport({ host, port: listener.port, ignoreTLS: true })
      await transport.sendMail({ envelope: { from: '', to: [ADDRESS] }, raw })
    }
    assert.equal(context.receipts.length, 2)
  })

  it('takes notices also while others hold every connection and bring none', async (test) => {
    let nowMs = 0
    const { context, listener, deliver } = await start(test, () => nowMs)
    const idle = Array.from({ length: 50 }, () => connect(listener.port, '127.0.0.1').on('error', () => {}))
    test.after(() => {
      for (const client of idle) client.destroy()
    })
    await Promise.all(idle.map((client) => once(client, 'data')))
    const notice = notification('Action: failed\nStatus: 5.1.1')
    await assert.rejects(deliver(notice), { responseCode: 421 }, 'each may be about to bring one')
    nowMs = 10_000
    await deliver(notice)
    assert.equal(context.receipts.length, 1)
    await deliver(notice)
    assert.equal(context.receipts.length, 2)
    assert.ok(idle.filter((client) => client.readyState === 'open').length >= 48, 'no more than had to go')
  })

  it('stops while a client is still connected', async (test) => {
    const { listener } = await start(test)
    const client = connect(listener.port, '127.0.0.1')
    client.on('error', () => {})
    await once(client, 'data')
    const closed = once(client, 'close')
    await listener.close()
    await closed
  })

  it('fails to start on a port that is taken', async (test) => {
    const { listener } = await start(test)
    const again = startBounceListener({
      host: '127.0.0.1',
      port: listener.port,
      verifyReturnPath: () => null,
      onReceipt: async () => {},
    })
    await assert.rejects(again, { code: 'EADDRINUSE' })
  })
})
