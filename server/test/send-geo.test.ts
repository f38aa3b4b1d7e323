import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshEmail, freshPhone, send } from './harness/fixtures.ts'
import { assertRefused } from './harness/refusals.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)

describe('send', () => {
  describe('geo', () => {
    const places = [
      ['+12423591234', 'BS', 'US'],
      ['+77012345678', 'KZ', 'RU'],
      ['+441534123456', 'JE', 'GB'],
      ['+38344123456', 'XK', 'RS'],
    ] as const
    for (const [recipient, country, neighbour] of places) {
      it(`goes by the number’s own region: ${recipient} is ${country}, not ${neighbour}`, async () => {
        const block = await createTenant(node, { geo: { mode: 'block', countries: [country] } })
        const answer = await send(node, block.serverKey, { recipient })
        assertRefused(answer, 403, 'GeoBlockedError')
        const blockNeighbour = await createTenant(node, { geo: { mode: 'block', countries: [neighbour] } })
        assert.equal((await send(node, blockNeighbour.serverKey, { recipient })).status, 200)
        const allow = await createTenant(node, { geo: { mode: 'allow', countries: [country] } })
        assert.equal((await send(node, allow.serverKey, { recipient })).status, 200)
        const allowNeighbour = await createTenant(node, { geo: { mode: 'allow', countries: [neighbour] } })
        assertRefused(await send(node, allowNeighbour.serverKey, { recipient }), 403, 'GeoBlockedError')
      })
    }

    it('and the order of channels go by the same region', async () => {
      for (const [recipient, country, neighbour] of places) {
        const { serverKey } = await createTenant(node, {
          routing: { countries: { [country]: ['telegram'], [neighbour]: ['whatsapp'] } },
        })
        assert.equal((await send(node, serverKey, { recipient })).body.channel, 'telegram', country)
      }
    })

    it('does not apply to email addresses', async () => {
      const { serverKey } = await createTenant(node, { geo: { mode: 'allow', countries: [] } })
      assert.equal((await send(node, serverKey, { recipient: freshEmail() })).status, 200)
      assertRefused(await send(node, serverKey, { recipient: freshPhone() }), 403, 'GeoBlockedError')
    })
  })
})
