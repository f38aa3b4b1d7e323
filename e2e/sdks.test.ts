/** A product with both packed libraries installed: a backend and a device, against the built service. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { installPacked, type PackedProject } from '../sdks/packed-project.ts'
import { newPhone, newRecipient } from './harness/people.ts'
import { openReceiver } from './harness/receiver.ts'
import { useService } from './harness/service.ts'
import { channels, codeIn } from './harness/simulator.ts'
import { eventually } from './harness/wait.ts'

type NodeSdk = typeof import('@countersign/node')
type WebSdk = typeof import('@countersign/web')

const service = useService()
let project: PackedProject
let sdks: { readonly node: NodeSdk; readonly web: WebSdk }

before(async () => {
  project = await installPacked('node', 'web')
  const lines = ['node', 'web'].map((name) => `export * as ${name} from '@countersign/${name}'`)
  await project.write('sdks.mjs', lines.join('\n'))
  sdks = await import(pathToFileURL(project.path('sdks.mjs')).href)
})
after(() => project?.remove())

/** An app's backend with its webhooks, and one device. */
async function openProduct(t: TestContext, settings: Readonly<Record<string, unknown>>) {
  const { createApp, running } = service()
  const app = await createApp(settings)
  const receiver = await openReceiver()
  t.after(receiver.close)
  const secret = await app.sendEventsTo(receiver.url)
  const { Countersign, webhooks } = sdks.node
  const baseUrl = running.url
  return {
    backend: new Countersign(app.key, { baseUrl }),
    device: sdks.web.createVerification({
      key: await app.createKey('publishable'),
      baseUrl,
      openUrl: tapLink,
    }),
    /** The events so far, as verified by the backend's library. */
    events: () =>
      Promise.all(receiver.received.map(({ rawBody, headers }) => webhooks.verify(rawBody, headers, secret))),
  }
}

/** By the link: whose phone opens it. */
const owners = new Map<string, string>()
const tapLink = async (url: string) => {
  const { pathname, searchParams } = new URL(url)
  await service().simulator.write(
    owners.get(url) ?? null,
    `+${pathname.slice(1)}`,
    searchParams.get('text') ?? '',
  )
}
const linked = (mode: string) => ({
  routing: { default: ['whatsapp', 'sms'] },
  channels: { whatsapp: { mode } },
})

describe('both libraries together', { concurrency: 4 }, () => {
  for (const channel of channels) {
    test(`${channel}: the device verifies, the backend exchanges, and the webhook says the same`, async (t) => {
      const { backend, device, events } = await openProduct(t, { routing: { default: [channel] } })
      const recipient = newRecipient(channel)
      const { otpId } = await device.start(recipient, { locale: 'en' })
      const code = codeIn((await service().simulator.arrived(recipient, channel)).text)
      const wrong = await device.verify(code === '000000' ? '000001' : '000000')
      assert.deepEqual([wrong.phase, wrong.isCodeWrong, wrong.attemptsRemaining], ['waiting', true, 4])
      const { phase, verificationToken } = await device.verify(code)
      assert.equal(phase, 'verified')
      const proven = await backend.verifications.exchange(verificationToken ?? '')
      assert.deepEqual([proven.otpId, proven.recipient, proven.channel], [otpId, recipient, channel])
      const heard = await eventually('the event', events, (list) =>
        list.some(({ type }) => type === 'otp.approved'),
      )
      assert.equal(heard.find(({ type }) => type === 'otp.approved')?.payload.otpId, otpId)
    })
  }

  test('what the backend starts, the device finishes, also after a resend', async (t) => {
    const { backend, device } = await openProduct(t, { routing: { default: ['sms', 'telegram'] } })
    const recipient = newPhone()
    const { otpId } = await backend.otp.send({ recipient, locale: 'en' })
    assert.equal((await device.resume(otpId)).channel, 'sms')
    assert.equal((await device.resend()).channel, 'telegram')
    const code = codeIn((await service().simulator.arrived(recipient, 'telegram')).text)
    const { verificationToken } = await device.verify(code)
    assert.equal((await backend.verifications.exchange(verificationToken ?? '')).recipient, recipient)
    const { status, deliveries } = await backend.otp.get(otpId)
    assert.deepEqual([status, deliveries.map(({ channel }) => channel)], ['approved', ['sms', 'telegram']])
  })

  test('link_code: the message is answered with the code', async (t) => {
    const { backend, device } = await openProduct(t, linked('link_code'))
    const recipient = newPhone()
    const { actionUrl, completion } = await device.start(recipient)
    assert.equal(completion, 'code')
    owners.set(actionUrl ?? '', recipient)
    device.openWhatsApp()
    const code = codeIn((await service().simulator.arrived(recipient, 'whatsapp')).text)
    const { verificationToken } = await device.verify(code)
    assert.equal((await backend.verifications.exchange(verificationToken ?? '')).recipient, recipient)
  })

  test('link_inbound: the message approves; the device waits for it, and the backend hears of it', async (t) => {
    const { backend, device, events } = await openProduct(t, linked('link_inbound'))
    const recipient = newPhone()
    const { otpId, actionUrl } = await backend.otp.send({ recipient })
    owners.set(actionUrl ?? '', recipient)
    const stop = device.subscribe(() => undefined)
    await device.resume(otpId)
    device.openWhatsApp()
    const state = await eventually('the device knows', device.getState, ({ phase }) => phase === 'verified')
    stop()
    assert.equal(state.verificationToken, null)
    await eventually('the backend hears', events, (list) =>
      list.some(({ type, payload }) => type === 'otp.approved' && payload.otpId === otpId),
    )
    assert.equal((await backend.otp.get(otpId)).status, 'approved')
  })

  test('each library refuses the key of the other', () => {
    const { node, web } = sdks
    assert.throws(() => new node.Countersign('otp_pk_a'), /publishable key/)
    const baseUrl = 'https://codes.example.com'
    assert.throws(() => web.createVerification({ key: 'otp_sk_a', baseUrl }), /server key/)
  })
})
