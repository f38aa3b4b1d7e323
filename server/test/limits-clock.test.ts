import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, send } from './harness/fixtures.ts'
import { ageCounts, officeIp, startLimitedService } from './limits-support.ts'

const { database, nodes, close } = await startLimitedService()
after(close)

describe('limits under a clock that is put right', () => {
  it('hold nobody back for what was counted while it was a month ahead', async () => {
    const { serverKey, companyId } = await createTenant(nodes[0], {
      limits: {
        recipient: [{ max: 1, window_s: 600 }],
        ip: [{ max: 1, window_s: 600 }],
        app: [{ max: 1, window_s: 600 }],
      },
    })
    const call = { recipient: freshPhone(), client_ip: officeIp }
    assert.equal((await send(nodes[0], serverKey, call)).status, 200)
    assert.equal((await send(nodes[0], serverKey, call)).status, 429)
    await ageCounts(database, companyId, -30 * 86_400)
    assert.equal((await send(nodes[0], serverKey, call)).status, 200)
    const again = await send(nodes[1], serverKey, call)
    assert.equal(again.status, 429)
    assert.ok(Number(again.headers.get('retry-after')) <= 600)
  })

  it('still count what was counted just before it was corrected by seconds', async () => {
    const limits = { recipient: [{ max: 1, window_s: 600 }], app: [{ max: 1, window_s: 600 }] }
    for (const recipient of [limits.recipient, [{ max: 100, window_s: 600 }]]) {
      const { serverKey, companyId } = await createTenant(nodes[0], { limits: { ...limits, recipient } })
      const call = { recipient: freshPhone(), client_ip: officeIp }
      assert.equal((await send(nodes[0], serverKey, call)).status, 200)
      await ageCounts(database, companyId, -20)
      assert.equal((await send(nodes[0], serverKey, call)).status, 429)
    }
  })
})
