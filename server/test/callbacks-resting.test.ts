/** An account that was switched off while some of its messages were under way. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startCalledBack } from './callbacks-support.ts'
import { createTenant, freshPhone, send } from './harness/fixtures.ts'
import { linkSettings } from './inbound-support.ts'

const numberId = '1001'

describe('an account that was switched off', () => {
  const { node, addAccount, callBack, sent, linked } = startCalledBack()

  const switchOff = async (providerId: string) => {
    const changed = await node().manage('PATCH', `/providers/${providerId}`, { enabled: false })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
  }

  it('still takes receipts of what it has sent, signed as before', async (test) => {
    const { providerId, receipt, stateNow } = await sent(test, numberId)
    await switchOff(providerId)
    assert.equal(await callBack(providerId, numberId, receipt, 'another secret'), 401)
    assert.equal(await stateNow(), 'sent')
    assert.equal(await callBack(providerId, numberId, receipt), 200)
    assert.equal(await stateNow(), 'delivered')
  })

  it('takes them also where another account of the app is called', async (test) => {
    const { tenant, providerId, peer, receipt, stateNow } = await sent(test, numberId)
    await switchOff(providerId)
    const other = { companyId: tenant.companyId, numberId: '1002', base_url: peer.url }
    assert.equal(await callBack(await addAccount(other), numberId, receipt), 200)
    assert.equal(await stateNow(), 'delivered')
  })

  it('sends nothing, and takes nothing any more once it is removed', async (test) => {
    const { tenant, providerId, peer, receipt } = await sent(test, numberId)
    await switchOff(providerId)
    const refused = await send(node(), tenant.serverKey, { recipient: freshPhone() })
    assert.equal(refused.body.error?.type, 'NoEnabledChannelError')
    assert.equal(peer.requests.length, 1)
    await node().manage('DELETE', `/providers/${providerId}`)
    assert.equal(await callBack(providerId, numberId, receipt), 401)
  })

  it('approves nobody: its secret may be why it was switched off', async () => {
    const { companyId, serverKey } = await createTenant(node(), linkSettings('link_inbound'))
    const providerId = await addAccount({ companyId, numberId })
    const { written, stateNow } = await linked(serverKey)
    await switchOff(providerId)
    assert.equal(await callBack(providerId, numberId, written), 200)
    assert.equal(await stateNow(), 'pending')
  })
})
