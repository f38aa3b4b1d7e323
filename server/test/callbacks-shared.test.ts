/** Several WhatsApp numbers of one Meta app: Meta calls one address for all of them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Account, startCalledBack } from './callbacks-support.ts'
import { createTenant } from './harness/fixtures.ts'
import { linkSettings } from './inbound-support.ts'

const called = '1001'
const other = '1002'

describe('a callback for another number of the same Meta app', () => {
  const { node, addAccount, callBack, sent, linked } = startCalledBack()

  const callAbout = async (account: Omit<Account, 'numberId'>, value: object) => {
    const providerId = await addAccount({ ...account, numberId: called })
    assert.equal(await callBack(providerId, other, value), 200)
  }

  it('brings the other account its receipts', async (test) => {
    const { tenant, peer, stateNow, receipt } = await sent(test, other)
    await callAbout({ companyId: tenant.companyId, base_url: peer.url }, receipt)
    assert.equal(await stateNow(), 'delivered')
  })

  it('brings the other account what people write to it', async () => {
    const { companyId, serverKey } = await createTenant(node(), linkSettings('link_inbound'))
    await addAccount({ companyId, numberId: other })
    const { written, stateNow } = await linked(serverKey)
    await callAbout({ companyId }, written)
    assert.equal(await stateNow(), 'approved')
  })

  it('says nothing to an account with another secret', async (test) => {
    const { tenant, peer, stateNow, receipt } = await sent(test, other, 'the secret of another app')
    await callAbout({ companyId: tenant.companyId, base_url: peer.url }, receipt)
    assert.equal(await stateNow(), 'sent')
  })

  it('says nothing to an account of another owner, whatever its secret', async (test) => {
    const { peer, stateNow, receipt } = await sent(test, other)
    const { companyId } = await createTenant(node())
    await callAbout({ companyId, base_url: peer.url }, receipt)
    assert.equal(await stateNow(), 'sent')
    await callAbout({ companyId: null, base_url: peer.url }, receipt)
    assert.equal(await stateNow(), 'sent')
  })
})
