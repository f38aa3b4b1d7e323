/** A viewer sees masked numbers, and cannot find the others out by asking about one after the other. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { mostLookups } from '../src/http/recipient-lookups.ts'
import { createTenant, freshPhone } from './harness/fixtures.ts'
import { joinCompany } from './harness/people.ts'
import { assertRefused } from './harness/refusals.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)

it('a viewer looks up a bounded number of recipients, in whichever way; a developer and other reads are not counted', async () => {
  const { companyId, appId } = await createTenant(node)
  const viewer = await joinCompany(node, companyId, 'viewer')
  const developer = await joinCompany(node, companyId, 'developer')
  const search = ({ call }: typeof viewer, recipient = freshPhone()) =>
    call('POST', `/companies/${companyId}/search`, { recipient })
  const first = freshPhone()
  assert.equal((await search(viewer, first)).status, 200)
  for (let count = 1; count < mostLookups; count++) {
    assert.equal((await search(viewer)).status, 200)
    assert.equal((await search(developer)).status, 200)
  }
  const recipient = freshPhone()
  for (const [method, path, body] of [
    ['POST', `/companies/${companyId}/search`, { recipient }],
    ['POST', `/apps/${appId}/verifications/search`, { recipient }],
    ['GET', `/apps/${appId}/verifications?recipient=${encodeURIComponent(recipient)}`],
    ['POST', `/apps/${appId}/preview`, { recipient }],
  ] as const) {
    const refused = await viewer.call(method, path, body)
    assertRefused(refused, 429, 'RateLimitExceededError')
    assert.ok(Number(refused.headers.get('retry-after')) > 1)
  }
  assert.equal((await search(developer)).status, 200)
  // The page that shows somebody reads on.
  assert.equal((await search(viewer, first)).status, 200)
  assert.equal((await viewer.call('GET', `/apps/${appId}/verifications`)).status, 200)
})
