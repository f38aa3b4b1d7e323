import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { createTenant, freshEmail, freshPhone, send, started, status, until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { lastingRows, settle } from './harness/records.ts'
import { assertRefused } from './harness/refusals.ts'
import { listed, startSendService } from './send-support.ts'

const { capture, database, node, close } = await startSendService()
after(close)

describe('what a send is held to', () => {
  describe('without a channel that reaches the recipient', () => {
    for (const [name, settings, recipient] of [
      [
        'all are switched off',
        { channels: { sms: { enabled: false }, whatsapp: { enabled: false }, telegram: { enabled: false } } },
        freshPhone(),
      ],
      [
        'the only one of the order is switched off',
        { channels: { sms: { enabled: false } }, routing: { default: ['sms'] } },
        freshPhone(),
      ],
      ['a phone number and only email', { routing: { default: ['email'] } }, freshPhone()],
      [
        'an email address and only phones',
        { routing: { default: ['sms', 'whatsapp', 'telegram'] } },
        freshEmail(),
      ],
      ['a fixed line and only sms', { routing: { default: ['sms'] } }, '+442079460958'],
      ['a country’s list without a usable one', { routing: { countries: { GB: ['email'] } } }, freshPhone()],
    ] as const) {
      it(`is refused: ${name}`, async () => {
        const { serverKey } = await createTenant(node, settings)
        assertRefused(await send(node, serverKey, { recipient }), 409, 'NoEnabledChannelError')
      })
    }

    it('is refused: no provider for the channel or for the country', async () => {
      const providers = capture.providers(['sms', 'email']).map((provider) => ({
        ...provider,
        countries: provider.channel === 'sms' ? ['FR'] : null,
      }))
      const poor = await startNode(database.url, { capture, role: 'api', builtIn: () => providers })
      try {
        const { serverKey } = await createTenant(poor)
        assertRefused(await send(poor, serverKey, { recipient: freshPhone() }), 409, 'NoEnabledChannelError')
        assert.equal((await send(poor, serverKey, { recipient: '+33612345678' })).body.channel, 'sms')
      } finally {
        await poor.close()
      }
    })

    it('is refused: every channel has turned out unreachable, for 30 days', async () => {
      const { serverKey, publishableKey } = await createTenant(node, {
        routing: { default: ['whatsapp'] },
        resend_cooldown_s: 0,
      })
      const recipient = freshPhone()
      let count = 0
      capture.answerWith((message) =>
        message.recipient === recipient
          ? { kind: 'unreachable', error: { code: 'not_here', message: 'Not on WhatsApp.' } }
          : { kind: 'accepted', messageId: `g-${++count}` },
      )
      const { body } = await send(node, serverKey, { recipient })
      await until('the provider’s word', async () => {
        const seen = await status(node, serverKey, body.otp_id)
        return seen.body.deliveries[0].status === 'failed'
      })
      const told = await send(node, serverKey, { recipient })
      assertRefused(told, 409, 'NoEnabledChannelError')
      assert.match(told.body.error.message, /a provider found the person unreachable/)
      // A device learns that there is no channel left, and nothing about deliveries.
      const device = (path: string, asked: object) =>
        node.call('POST', `/api/v1/otp/${path}`, { key: publishableKey, body: asked })
      for (const [answer, type, message] of [
        [
          await device('send', { recipient }),
          'NoEnabledChannelError',
          'No enabled channel can reach this recipient.',
        ],
        [
          await device('resend', { otp_id: body.otp_id }),
          'ResendNotAllowedError',
          'No enabled channel is left for this recipient.',
        ],
      ] as const) {
        assertRefused(answer, 409, type)
        assert.equal(answer.body.error.message, message)
      }
      await database.query(`update unreachable set expires_at = expires_at - interval '30 days'`)
      capture.answerWith(null)
      assert.equal((await started(node, serverKey, recipient)).answer.body.channel, 'whatsapp')
    })
  })

  it('the rules are asked in their order, so that of two broken ones the first is named', async () => {
    const { serverKey, appId, companyId } = await createTenant(
      node,
      { limits: { recipient: [{ max: 1, window_s: 600 }] } },
      { balance: '0.05' },
    )
    const recipient = freshPhone()
    const bad = { 'idempotency-key': 'k'.repeat(129) }
    const abused = { recipient, client_ip: listed.abusive }
    const patch = (settings: unknown) => node.manage('PATCH', `/apps/${appId}`, settings)
    const phones = (enabled: boolean) => ({
      channels: { sms: { enabled }, whatsapp: { enabled }, telegram: { enabled } },
    })

    assertRefused(await send(node, 'otp_sk_no', { recipient: 7 }), 401, 'HTTPException')
    assertRefused(await send(node, serverKey, { recipient: 'x', channel: 'sms' }), 422, 'ValidationError')
    assertRefused(await send(node, serverKey, { recipient: 'x' }, bad), 422, 'InvalidIdempotencyKeyError')
    assertRefused(await send(node, serverKey, { ...abused, recipient: 'x' }), 422, 'InvalidRecipientError')
    await patch({ geo: { countries: ['GB'] } })
    assertRefused(await send(node, serverKey, abused), 403, 'GeoBlockedError')
    await patch({ geo: { countries: [] }, ...phones(false) })
    assertRefused(await send(node, serverKey, abused), 403, 'IpReputationBlockedError')
    await patch(phones(true))
    assert.equal((await send(node, serverKey, { recipient })).status, 200)
    await patch(phones(false))
    assertRefused(await send(node, serverKey, { recipient }), 409, 'NoEnabledChannelError')
    await patch(phones(true))
    assertRefused(await send(node, serverKey, { recipient }), 429, 'RateLimitExceededError', 'recipient')
    assertRefused(await send(node, serverKey, { recipient: freshPhone() }), 402, 'InsufficientFundsError')
    await node.manage('POST', `/companies/${companyId}/credits`, { amount: '0.05' })
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
  })

  it('a refused send leaves nothing behind in any table but the record of its refusal, and its key is free', async () => {
    const rows = async () => (await lastingRows(database)).filter(({ table }) => !table.startsWith('refusal'))
    const tenant = await createTenant(node, {
      routing: { default: ['sms'] },
      geo: { countries: ['FR'] },
      limits: { recipient: [{ max: 1, window_s: 600 }] },
    })
    const poor = await createTenant(node, {}, { balance: '0.01' })
    const spent = (await started(node, tenant.serverKey)).recipient
    await settle(database)
    const earlier = await rows()
    assert.ok(earlier.some(({ table }) => table.startsWith('verifications')))
    const key = randomUUID()
    const headers = { 'idempotency-key': key }
    for (const [on, body, statusCode, type] of [
      [tenant, { recipient: freshPhone(), x: 1 }, 422, 'ValidationError'],
      [tenant, { recipient: 'x' }, 422, 'InvalidRecipientError'],
      [tenant, { recipient: '+33612345678' }, 403, 'GeoBlockedError'],
      [tenant, { recipient: freshPhone(), client_ip: listed.abusive }, 403, 'IpReputationBlockedError'],
      [tenant, { recipient: freshEmail() }, 409, 'NoEnabledChannelError'],
      [tenant, { recipient: spent }, 429, 'RateLimitExceededError'],
      [poor, { recipient: freshPhone() }, 402, 'InsufficientFundsError'],
    ] as const)
      assertRefused(await send(node, on.serverKey, body, headers), statusCode, type)
    assert.deepEqual(await rows(), earlier)
    for (const { serverKey } of [tenant]) {
      assert.equal((await send(node, serverKey, { recipient: freshPhone() }, headers)).status, 200)
    }
  })
})
