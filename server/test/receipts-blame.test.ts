/** Receipts that say that the account itself does not work, as its answer might have. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { startCalledBack } from './callbacks-support.ts'
import { createTenant, type Tenant, until } from './harness/fixtures.ts'

const firstNumber = '1001'

describe('a receipt that blames the account', () => {
  const { node, database, addAccount, startMeta, sendOne, callBack } = startCalledBack()

  const newTenant = () => createTenant(node(), { routing: { default: ['whatsapp'] } })
  const addAfter = async (test: TestContext, { companyId }: Tenant, others: number) => {
    const peer = await startMeta(test)
    const numberId = String(Number(firstNumber) + others)
    const base_url = peer.url
    const providerId = await addAccount({ companyId, numberId, base_url, priority: others + 1 })
    return { peer, providerId }
  }
  const sent = async (tenant: Tenant) => (await sendOne(tenant)).deliveryId
  const report = async (providerId: string, deliveryId: string, ending: object) => {
    const statuses = [{ id: 'wamid.1', biz_opaque_callback_data: deliveryId, ...ending }]
    assert.equal(await callBack(providerId, firstNumber, { statuses }), 200)
  }
  const failWith = (code: number, providerId: string, deliveryId: string) =>
    report(providerId, deliveryId, { status: 'failed', errors: [{ code, title: 'Not sent' }] })
  const stateOf = async ({ companyId }: Tenant, providerId: string) => {
    const { body } = await node().manage('GET', `/providers?company_id=${companyId}`)
    return body.providers.find((entry: { provider_id: string }) => entry.provider_id === providerId).state
  }
  const showing =
    (tenant: Tenant, providerId: string) =>
    (what: string, isSo: (state: Record<string, unknown>) => boolean) =>
      until(what, async () => {
        const state = await stateOf(tenant, providerId)
        return isSo(state) && state
      })
  const twoAccounts = async (test: TestContext) => {
    const tenant = await newTenant()
    const first = await addAfter(test, tenant, 0)
    const second = await addAfter(test, tenant, 1)
    return { tenant, first, second }
  }

  it('has the next message carried by another, and shows what is wrong', async (test) => {
    const { tenant, first, second } = await twoAccounts(test)
    await failWith(131_042, first.providerId, await sent(tenant))
    await sent(tenant)
    assert.deepEqual([first.peer.requests.length, second.peer.requests.length], [1, 1])
    const shown = showing(tenant, first.providerId)
    const state = await shown('it is known to fail', ({ status }) => status === 'failing')
    assert.equal(state.last_error.code, '131042')
  })

  it('is believed, however many messages it takes, until one of them arrives', async (test) => {
    const tenant = await newTenant()
    const { providerId } = await addAfter(test, tenant, 0)
    const shown = showing(tenant, providerId)
    await failWith(131_042, providerId, await sent(tenant))
    const { since } = await shown('it fails', ({ status }) => status === 'failing')

    const taken = await sent(tenant)
    const after = await shown('the message it took', ({ sent_1h }) => sent_1h === 2)
    assert.deepEqual([after.status, after.since], ['failing', since])
    await failWith(131_042, providerId, taken)
    const again = await shown('its second failure', ({ failed_1h }) => failed_1h === 2)
    assert.deepEqual([again.status, again.since], ['failing', since])

    await report(providerId, await sent(tenant), { status: 'delivered' })
    await shown('it is up again', ({ status }) => status === 'up')
  })

  it('is forgotten where nothing was said against the account for ten minutes', async (test) => {
    const tenant = await newTenant()
    const { providerId } = await addAfter(test, tenant, 0)
    const shown = showing(tenant, providerId)
    await failWith(131_042, providerId, await sent(tenant))
    await shown('it fails', ({ status }) => status === 'failing')
    await database().query(
      `update provider_states set error_at = error_at - interval '10 minutes' where provider_id = $1`,
      [providerId],
    )
    await sent(tenant)
    await shown('it is up again', ({ status }) => status === 'up')
  })

  it('is told from one that blames the message, which says nothing of the account', async (test) => {
    const { tenant, first, second } = await twoAccounts(test)
    await failWith(131_049, first.providerId, await sent(tenant))
    await sent(tenant)
    assert.deepEqual([first.peer.requests.length, second.peer.requests.length], [2, 0])
  })
})
