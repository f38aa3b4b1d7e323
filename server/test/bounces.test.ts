import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTransport } from 'nodemailer'
import { returnPath } from '../src/channels/smtp/return-path.ts'
import { startBounces } from '../src/worker/bounces.ts'
import { open, RETURN_PATH } from './channels/smtp-support.ts'

const NOTICE = `Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.x.org

Action: failed
Status: 5.1.1
--b--
`

it('a notice reaches every account whose return path it came to, and no other', async (test) => {
  const listeners = [
    { providerId: 'prv_1', account: open(test, 25) },
    { providerId: 'prv_2', account: open(test, 25, { return_path_secret: 'of nobody else, this one' }) },
    { providerId: 'prv_3', account: open(test, 25) },
  ]
  const heard: unknown[] = []
  const bounces = await startBounces(
    { host: '127.0.0.1', port: 0 },
    { listeners: () => listeners },
    async (providerId, { deliveryId, status }) => void heard.push([providerId, deliveryId, status]),
  )
  test.after(bounces.close)
  const transport = createTransport({ host: '127.0.0.1', port: bounces.port, ignoreTLS: true })
  await transport.sendMail({
    envelope: { from: '', to: [returnPath('dlv_01', RETURN_PATH)] },
    raw: NOTICE.replaceAll('\n', '\r\n'),
  })
  assert.deepEqual(heard, [
    ['prv_1', 'dlv_01', 'failed'],
    ['prv_3', 'dlv_01', 'failed'],
  ])
})
