/** Lists as files: the same rows as on the pages, for everybody who may read those. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newId } from '../src/platform/ids.ts'
import { sha256 } from '../src/platform/keyring.ts'
import { createTenant, freshPhone, send, started, type Tenant } from './harness/fixtures.ts'
import { adminToken } from './harness/node.ts'
import { joinCompany, type Signed, signIn } from './harness/people.ts'
import { startService } from './harness/service.ts'

const { node, database, close } = await startService()
after(close)

const adminHeaders = { authorization: `Bearer ${adminToken}`, accept: 'text/csv' }
const get = (path: string, headers: Record<string, string> = adminHeaders) =>
  fetch(`${node.baseUrl}/manage/v1${path}`, { headers })
const lines = async (path: string) => {
  const answer = await get(path)
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/)
  assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="\w+\.csv"$/)
  assert.ok(text.endsWith('\r\n'))
  return text.split('\r\n').slice(0, -1)
}

describe('a list as a file', () => {
  it('has a header and a row for each: verifications, refusals, ledger, events', async () => {
    const { appId, companyId, serverKey } = await createTenant(node)
    await node.manage('PUT', `/apps/${appId}/webhook`, { url: 'http://127.0.0.1:9/' })
    await started(node, serverKey)
    await started(node, serverKey)
    await node.manage('POST', `/apps/${appId}/webhook/test`)
    await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: ['GB'] } })
    await send(node, serverKey, { recipient: freshPhone() })
    await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1', note: '=cmd, "calc"' })

    const verifications = await lines(`/apps/${appId}/verifications`)
    assert.match(verifications[0] ?? '', /^otp_id,status,channel,masked_recipient,/)
    assert.equal(verifications.length, 3)
    assert.match(verifications[1] ?? '', /^otp_\w+,pending,sms,'\+44\*{4}\d\d,phone,GB,1,0,/)
    const refusals = await lines(`/apps/${appId}/refusals`)
    assert.equal(refusals.length, 2)
    assert.match(refusals[1] ?? '', /,geo,Sending to GB is blocked for this app\.,/)
    const ledger = await lines(`/companies/${companyId}/ledger`)
    assert.ok(ledger.some((line) => line.includes(`,credit,1.000000,,"'=cmd, ""calc""",`)))
    assert.ok(ledger.some((line) => /,reserve,-0\.050000,otp_/.test(line)))
    const events = await lines(`/apps/${appId}/events`)
    const listed = (await node.manage('GET', `/apps/${appId}/events`)).body.events
    assert.equal(events[0], Object.keys(listed[0]).join())
    assert.ok(events.some((line) => /,otp\.approved,.*,true,/.test(line)))
  })

  it('has the price book: a row for everywhere, and one for each country with prices of its own', async () => {
    const [header, everywhere, ...countries] = await lines('/prices')
    assert.equal(header, 'country,sms,whatsapp,whatsapp_reply,telegram,email')
    const { body } = await node.manage('GET', '/prices')
    assert.equal(everywhere?.split(',')[1], body.default.sms)
    assert.equal(countries.length, Object.keys(body.countries).length)
    const member = await joinCompany(node, (await createTenant(node)).companyId, 'viewer')
    assert.equal((await get('/prices', { cookie: member.cookie, accept: 'text/csv' })).status, 200)
    assert.equal((await get('/prices', { accept: 'text/csv' })).status, 401)
  })

  it('takes the filters of the list, and goes over all its pages whatever their size', async () => {
    const tenant = await createTenant(node)
    for (let count = 0; count < 5; count++) await started(node, tenant.serverKey)
    const path = `/apps/${tenant.appId}/verifications`
    assert.equal((await lines(`${path}?limit=2`)).length, 6)
    assert.equal((await lines(`${path}?status=approved`)).length, 1)
    assert.equal((await get(`${path}?wrong=1`)).status, 422)
  })

  it('is for those who may read the list, refused as the list is', async () => {
    const tenant: Tenant = await createTenant(node)
    const stranger = await joinCompany(node, (await createTenant(node)).companyId, 'owner')
    const viewer = await joinCompany(node, tenant.companyId, 'viewer')
    const path = `/apps/${tenant.appId}/verifications`
    const asked = (cookie: string) => get(path, { cookie, accept: 'text/csv' })
    assert.equal((await asked(viewer.cookie)).status, 200)
    const refused = await asked(stranger.cookie)
    assert.equal(refused.status, 404)
    assert.match(await refused.text(), /NotFoundError/)
    assert.equal((await get(path, { accept: 'text/csv' })).status, 401)
  })

  const losses: readonly [how: string, lose: (viewer: Signed, companyId: string) => Promise<unknown>][] = [
    [
      'is removed from the company',
      async ({ call }, companyId) => {
        const { person_id } = (await call('GET', '/me')).body
        const removed = await node.manage('DELETE', `/companies/${companyId}/members/${person_id}`)
        assert.equal(removed.status, 200)
      },
    ],
    [
      'ends the session from another one',
      async ({ email }) =>
        assert.equal((await (await signIn(node, email)).call('DELETE', '/sessions')).status, 200),
    ],
  ]
  /** A viewer who has begun to read a file that is far longer than what the buffers between the two sides hold. */
  async function readLong() {
    const { companyId } = await createTenant(node)
    await database.query(
      `insert into ledger (company_id, entry_id, kind, amount_micros, note)
       select $1, left($2, 14) || lpad(n::text, 16, '0'), 'credit', 0, repeat('x', 2000) from generate_series(1, 30000) n`,
      [companyId, newId('entry', Date.now())],
    )
    const viewer = await joinCompany(node, companyId, 'viewer')
    const read = await get(`/companies/${companyId}/ledger`, { cookie: viewer.cookie, accept: 'text/csv' })
    assert.equal(read.status, 200)
    const reader = read.body?.getReader()
    await reader?.read()
    return { viewer, companyId, reader }
  }

  for (const [how, lose] of losses) {
    it(`breaks off for a reader who ${how}, however much of it is left`, async () => {
      const { viewer, companyId, reader } = await readLong()
      await lose(viewer, companyId)
      await assert.rejects(async () => {
        while (!(await reader?.read())?.done);
      })
    })
  }

  it('is read to its end though the token of its session was replaced long ago', async () => {
    const { viewer, reader } = await readLong()
    await database.query(
      `update sessions set previous_hash = null, token_hash = decode(md5(session_id), 'hex'), rotated_at = now() - interval '1 hour'
        where token_hash = $1`,
      [sha256(viewer.cookie.split('=')[1] ?? '')],
    )
    let isDone = false
    while (!isDone) isDone = (await reader?.read())?.done ?? true
  })

  it('is JSON to everybody else', async () => {
    const { appId } = await createTenant(node)
    const answer = await get(`/apps/${appId}/verifications`, { ...adminHeaders, accept: '*/*' })
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    const csvOfOne = await get(`/apps/${appId}`, adminHeaders)
    assert.match(csvOfOne.headers.get('content-type') ?? '', /^application\/json/)
  })
})
