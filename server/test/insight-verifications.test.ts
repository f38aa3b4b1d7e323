/** What happened, as people read it: lists of verifications, and one with its story. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, send } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)

const list = async (appId: string, query: Record<string, string> = {}) => {
  const answer = await node.manage('GET', `/apps/${appId}/verifications?${new URLSearchParams(query)}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const idsOf = (page: { verifications: { otp_id: string }[] }) =>
  page.verifications.map(({ otp_id }) => otp_id)

describe('a list of verifications', { timeout: 120_000 }, () => {
  it('has the newest first, and pages that neither repeat nor leave out', async () => {
    const { appId, serverKey } = await createTenant(node)
    const sent: string[] = []
    for (let index = 0; index < 7; index++)
      sent.push((await send(node, serverKey, { recipient: freshPhone() })).body.otp_id)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: { verifications: { otp_id: string }[]; next_cursor: string | null } = await list(appId, {
        limit: '3',
        ...(cursor ? { cursor } : {}),
      })
      seen.push(...idsOf(page))
      cursor = page.next_cursor
    } while (cursor)
    assert.deepEqual(seen, sent.toSorted().reverse())
  })
})
