/** What a person writes on WhatsApp after the app or company that asked for it has ended. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApp, createTenant } from './harness/fixtures.ts'
import { dumpRows } from './harness/records.ts'
import { startTwoNodeService } from './harness/service.ts'
import { write } from './harness/whatsapp.ts'
import { linkSettings, linksOf } from './inbound-support.ts'

const service = await startTwoNodeService()
after(service.close)
const { database, nodes } = service
const [node] = nodes

const ends = {
  'an app that is deleted': ({ appId }: { appId: string }) => `/apps/${appId}`,
  'a company that is closed': ({ companyId }: { companyId: string }) => `/companies/${companyId}`,
} as const

/** Everything that the database has about one verification. */
const recordOf = async (otpId: string) =>
  (await dumpRows(database))
    .filter(({ row }) => row.includes(otpId))
    .map(({ table, row }) => `${table} ${row}`)

for (const [whose, pathOf] of Object.entries(ends)) {
  for (const mode of ['link_inbound', 'link_code'] as const) {
    test(`a message to the link of ${whose} approves nothing, sends nothing and tells nobody: ${mode}`, async () => {
      const tenant = await createTenant(node, linkSettings(mode))
      const { otpId, recipient, text } = await linksOf(service, tenant).linked()
      assert.equal((await node.manage('DELETE', pathOf(tenant))).status, 200)
      const before = await recordOf(otpId)
      for (const each of nodes) await write(each, { from: recipient, text })
      assert.deepEqual(await recordOf(otpId), before)
    })
  }
}

test('a message to the link of another app of the company still approves', async () => {
  const tenant = await createTenant(node, linkSettings('link_inbound'))
  const neighbour = await createApp(node, tenant.companyId, linkSettings('link_inbound'))
  const { linked, assertApprovedOnce } = linksOf(service, neighbour)
  const { otpId, recipient, text } = await linked()
  await node.manage('DELETE', `/apps/${tenant.appId}`)
  await write(node, { from: recipient, text })
  await assertApprovedOnce(otpId)
})
