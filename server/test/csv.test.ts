/** Lists as files: the same rows as on the pages, for everybody who may read those. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, send, started, type Tenant } from './harness/fixtures.ts'
import { adminToken } from './harness/node.ts'
import { joinCompany } from './harness/people.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
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
    assert.ok((await lines(`/apps/${appId}/events`)).length >= 2)
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

  it('is JSON to everybody else', async () => {
    const { appId } = await createTenant(node)
    const answer = await get(`/apps/${appId}/verifications`, { ...adminHeaders, accept: '*/*' })
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    const csvOfOne = await get(`/apps/${appId}`, adminHeaders)
    assert.match(csvOfOne.headers.get('content-type') ?? '', /^application\/json/)
  })
})
