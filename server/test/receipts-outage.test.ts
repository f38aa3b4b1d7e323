/** A receipt is acknowledged once it is recorded: without the database none is acknowledged, and none is lost. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createTransport } from 'nodemailer'
import type { Receipt } from '../src/channels/channel.ts'
import { smpp } from '../src/channels/smpp/index.ts'
import { returnPath, verifyReturnPath } from '../src/channels/smtp/return-path.ts'
import { twilio } from '../src/channels/twilio/index.ts'
import { accountContext, type Provider } from '../src/domain/routing/index.ts'
import { findFreePort } from '../src/platform/free-port.ts'
import { type PeerPdu, receiptText, startSmppPeer } from './channels/smpp-peer.ts'
import { layCable } from './harness/cable.ts'
import { Capture } from './harness/capture.ts'
import { createTestDatabase } from './harness/database.ts'
import { createTenant, freshEmail, freshPhone, message, send, until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

const returnKey = { domain: 'mail.example', secret: 'a secret of sixteen or more' }

const notice = (address: string) =>
  `From: MAILER-DAEMON@mx.x.org
To: ${address}
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.x.org

Final-Recipient: rfc822;u@x.org
Action: delivered
Status: 2.0.0
--b--
`.replaceAll('\n', '\r\n')

/** A node behind a cable, with accounts whose receipts come over SMPP, by callback and by mail. */
async function start(test: TestContext) {
  const database = await createTestDatabase()
  test.after(database.close)
  const { cable, url } = await layCable(database.url)
  test.after(() => cable.close())
  const carrier = await startSmppPeer(test)
  const capture = new Capture()
  const bounce = { host: '127.0.0.1', port: await findFreePort('127.0.0.1') }
  const hearing: Provider['account']['parseCallback'] = ({ body }) => ({
    kind: 'accepted',
    receipts: [JSON.parse(body.toString()) as Receipt],
    inbound: [],
  })
  const { callbackPatienceMs } = twilio.open(
    twilio.settings.parse({
      account_sid: `AC${'0'.repeat(32)}`,
      auth_token: 'x'.repeat(32),
      from: '+15005550006',
    }),
    accountContext(
      'twilio',
      async () => {},
      { isPassive: true, lookup: null },
      () => {},
    ),
  )
  assert.ok(callbackPatienceMs)
  const node = await startNode(url, {
    capture,
    bounce,
    builtIn: (onReceipt) => {
      const [sms, whatsapp, telegram, email] = capture.providers()
      assert.ok(sms && whatsapp && telegram && email)
      const context = accountContext(sms.providerId, onReceipt, { isPassive: false, lookup: null }, () => {})
      const settings = {
        host: '127.0.0.1',
        port: carrier.port,
        system_id: 'u',
        password: 'p',
        source_addr: 'ACME',
      }
      return [
        { ...sms, account: smpp.open(smpp.settings.parse(settings), context) },
        { ...whatsapp, account: { ...whatsapp.account, parseCallback: hearing } },
        { ...telegram, account: { ...telegram.account, parseCallback: hearing, callbackPatienceMs } },
        { ...email, account: { ...email.account, ownsReturnPath: (to) => verifyReturnPath(to, returnKey) } },
      ]
    },
  })
  test.after(node.close)
  const transport = createTransport({ host: bounce.host, port: bounce.port, ignoreTLS: true })
  return { database, cable, carrier, node, transport }
}

type Started = Awaited<ReturnType<typeof start>>

/** Sends a message on this channel, and returns its delivery once the carrier has accepted it. */
async function sent({ database, node }: Started, channel: string): Promise<string> {
  const { serverKey } = await createTenant(node, { routing: { default: [channel] } })
  const recipient = channel === 'email' ? freshEmail() : freshPhone()
  const { body } = await send(node, serverKey, { recipient })
  if (channel !== 'sms') await message(node, recipient)
  return until('it to be sent', async () => {
    const [row] = await database.query<{ delivery_id: string }>(
      `select delivery_id from deliveries where otp_id = $1 and status = 'sent'`,
      [body.otp_id],
    )
    return row?.delivery_id
  })
}

const isDelivered = async ({ database }: Started, deliveryId: string) => {
  const rows = await database.query(
    `select 1 from deliveries d join events e on e.delivery_id = d.delivery_id
      where d.delivery_id = $1 and d.status = 'delivered' and e.type = 'delivery.delivered'`,
    [deliveryId],
  )
  return rows.length === 1
}

const word = (deliveryId: string): Receipt => ({
  deliveryId,
  messageId: null,
  status: 'delivered',
  error: null,
  unreachable: false,
})

describe('receipts while the database is away', () => {
  it('are refused over SMPP, by callback and by mail until they can be recorded, and none is lost', async (test) => {
    const parts = await start(test)
    const { cable, carrier, node, transport } = parts
    const [overSmpp, neverAgain] = [await sent(parts, 'sms'), await sent(parts, 'sms')]
    const [byCallback, byMail] = [await sent(parts, 'whatsapp'), await sent(parts, 'email')]
    const report = (id: string) =>
      new Promise<number>((resolve) =>
        carrier.sessions[0]?.deliver_sm(
          { esm_class: 4, short_message: receiptText(id, 'DELIVRD') },
          (response: PeerPdu) => resolve(response.command_status),
        ),
      )
    const call = () => node.call('POST', '/hooks/capture-whatsapp', { body: word(byCallback) })
    const address = returnPath(byMail, returnKey)
    const mail = () => transport.sendMail({ envelope: { from: '', to: [address] }, raw: notice(address) })

    cable.cut()
    const [first, second, called, mailed] = await Promise.all([
      report('1'),
      report('2'),
      call(),
      mail().then(
        () => 250,
        (error) => error.responseCode,
      ),
    ])
    assert.deepEqual([first, second, mailed], [0x64, 0x64, 451])
    assert.equal(called.status, 503)
    assert.ok(Number(called.headers.get('retry-after')) >= 1)

    cable.mend()
    await until('the node to serve again', async () => (await node.call('GET', '/readyz')).status === 200)
    assert.equal(await report('1'), 0)
    assert.equal((await call()).status, 200)
    await mail()
    // An acknowledged receipt is recorded, so there is nothing to wait for.
    for (const deliveryId of [overSmpp, byCallback, byMail]) assert.ok(await isDelivered(parts, deliveryId))
    await until('one that its carrier did not repeat', () => isDelivered(parts, neverAgain))
  })

  it('of a carrier that does not repeat them are waited for as long as it waits', async (test) => {
    const parts = await start(test)
    const deliveryId = await sent(parts, 'telegram')
    parts.cable.cut()
    const calling = parts.node.call('POST', '/hooks/capture-telegram', { body: word(deliveryId) })
    // By then another carrier's receipt has been refused.
    const refused = await parts.node.call('POST', '/hooks/capture-whatsapp', { body: word(deliveryId) })
    assert.equal(refused.status, 503)
    parts.cable.mend()
    assert.equal((await calling).status, 200)
    assert.ok(await isDelivered(parts, deliveryId))
  })

  it('that nobody could record are recorded when it is back, though the carrier gave up', async (test) => {
    const parts = await start(test)
    const deliveryId = await sent(parts, 'telegram')
    parts.cable.cut()
    const refused = await parts.node.call('POST', '/hooks/capture-telegram', { body: word(deliveryId) })
    assert.equal(refused.status, 503)
    parts.cable.mend()
    await until('it to be recorded', () => isDelivered(parts, deliveryId))
  })
})
