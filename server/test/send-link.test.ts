import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { whatsappNumber } from './harness/capture.ts'
import { createTenant, freshPhone, send, started, status } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)

describe('send', () => {
  describe('a WhatsApp link', () => {
    for (const [mode, completion] of [
      ['link_code', 'code'],
      ['link_inbound', 'inbound'],
    ] as const) {
      it(`is answered in ${mode}, and nothing is sent or paid`, async () => {
        const { serverKey, companyId } = await createTenant(node, {
          name: 'Müller & Söhne?',
          routing: { default: ['whatsapp', 'sms'] },
          channels: { whatsapp: { mode } },
        })
        const recipient = freshPhone()
        const { body } = await send(node, serverKey, { recipient, locale: 'de-AT' })
        assert.equal(body.channel, 'whatsapp')
        assert.equal(body.completion, completion)
        assert.equal(body.status, 'pending')
        const url = new URL(body.action_url)
        assert.equal(`${url.origin}${url.pathname}`, `https://wa.me/${whatsappNumber}`)
        assert.deepEqual([...url.searchParams.keys()], ['text'])
        const text = url.searchParams.get('text') ?? ''
        assert.match(text, /^Ich möchte meine Nummer bei Müller & Söhne\? bestätigen\./)
        const reference = /[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4})*$/.exec(text)?.[0] ?? ''
        assert.ok(reference.replaceAll('-', '').length * 5 >= 64, reference)

        const seen = await status(node, serverKey, body.otp_id)
        assert.equal(seen.body.action_url, body.action_url)
        assert.deepEqual(seen.body.deliveries, [])
        assert.equal((await node.manage('GET', `/companies/${companyId}`)).body.balance, '1000.000000')
        assert.equal(node.capture.to(recipient).length, 0)
      })
    }

    it('has a reference of its own for every verification', async () => {
      const { serverKey } = await createTenant(node, {
        routing: { default: ['whatsapp'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
      })
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send(node, serverKey, { recipient: '+5511987654321' })),
      )
      assert.equal(new Set(answers.map((answer) => answer.body.action_url)).size, 20)
    })

    it('is not what another channel answers while WhatsApp is in a link mode', async () => {
      const { serverKey } = await createTenant(node, { channels: { whatsapp: { mode: 'link_inbound' } } })
      const { answer } = await started(node, serverKey)
      assert.deepEqual(
        [answer.body.channel, answer.body.completion, answer.body.action_url],
        ['sms', 'code', null],
      )
    })

    it('can be had without any balance', async () => {
      const { serverKey } = await createTenant(
        node,
        { routing: { default: ['whatsapp'] }, channels: { whatsapp: { mode: 'link_code' } } },
        { balance: '0' },
      )
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    })
  })
})
