/** What a management call reads before it does anything: the caller's role, and whose thing it is about. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, describe, it } from 'node:test'
import { createTenant } from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { joinCompany, signInAsOperator } from './harness/people.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)
const tenant = await createTenant(node)
const other = await createTenant(node)
const viewer = await joinCompany(node, tenant.companyId, 'viewer')
const owner = await joinCompany(node, tenant.companyId, 'owner')
const operator = await signInAsOperator(node)

const looks = {
  memberships: /from members member join companies/,
  subject: /how the company of a path is found/,
  passkeyRule: /select passkey_required from companies/,
}

/** How often each was looked up in one call. */
async function looksOf(call: () => Promise<Answer>, status: number) {
  const texts: string[] = []
  const note = (text: unknown) => texts.push(String(text))
  subscribe('countersign:statement', note)
  try {
    assert.equal((await call()).status, status)
  } finally {
    unsubscribe('countersign:statement', note)
  }
  const count = (look: RegExp) => texts.filter((text) => look.test(text)).length
  return Object.fromEntries(Object.entries(looks).map(([name, look]) => [name, count(look)]))
}

const path = `/companies/${tenant.companyId}`
const once = { memberships: 1, subject: 1, passkeyRule: 0 }
/** Before a change both are looked up again, once the audit entry is open, because that may have taken a while. */
const again = { memberships: 2, subject: 2, passkeyRule: 0 }

describe('a management call looks up its company once, and again before a change', () => {
  it('where a member may', async () => {
    assert.deepEqual(await looksOf(() => owner.call('GET', path), 200), once)
    assert.deepEqual(await looksOf(() => owner.call('PATCH', path, { name: 'Another' }), 200), again)
  })

  it('where a role is too low, and what was tried is recorded', async () => {
    assert.deepEqual(await looksOf(() => viewer.call('PATCH', path, { name: 'Another' }), 403), once)
  })

  it('where the body is refused', async () => {
    assert.deepEqual(await looksOf(() => owner.call('PATCH', path, { name: '' }), 422), once)
  })

  it('where it is another company’s', async () => {
    const foreign = `/companies/${other.companyId}`
    assert.deepEqual(await looksOf(() => owner.call('PATCH', foreign, { name: 'Another' }), 404), once)
  })

  it('where it is for operators only', async () => {
    const credit = () => owner.call('POST', `${path}/credits`, { amount: '1' })
    assert.deepEqual(await looksOf(credit, 403), once)
  })

  it('where an operator calls, who need not be a member', async () => {
    const rename = () => operator.call('PATCH', path, { name: 'Another' })
    assert.deepEqual(await looksOf(rename, 200), { memberships: 0, subject: 2, passkeyRule: 0 })
  })
})
