/** A GET changes nothing: mail scanners, link previews and browsers fetch whatever they see. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operations } from '@countersign/contract'
import { twilioRoutes } from '../src/http/twilio/register.ts'
import { createTenant, freshPhone, message, send, status } from './harness/fixtures.ts'
import { lastingRows, settle } from './harness/records.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)
const tenant = await createTenant(node)

test('no GET changes anything: fetching every address that we emit leaves a verification pending', async () => {
  const linkSettings = { routing: { default: ['whatsapp', 'sms'] } }
  const tenants = [
    tenant,
    await createTenant(node, { ...linkSettings, channels: { whatsapp: { mode: 'link_code' } } }),
    await createTenant(node, { ...linkSettings, channels: { whatsapp: { mode: 'link_inbound' } } }),
  ]
  const otpIds: string[] = []
  const twilioReads: { path: string; headers: Record<string, string> }[] = []
  const urls = new Set([
    '/',
    '/docs',
    '/docs/guide',
    '/docs/guide.md',
    '/llms.txt',
    '/healthz',
    '/readyz',
    '/metrics',
    '/api/v1/openapi.json',
  ])
  for (const { serverKey, companyId, appId } of tenants) {
    const recipient = freshPhone()
    const { body } = await send(node, serverKey, { recipient })
    otpIds.push(body.otp_id)
    if (body.action_url) {
      const { pathname, search } = new URL(body.action_url)
      urls.add(pathname + search).add(`/hooks/capture-whatsapp${search}`)
    } else {
      const { callbackUrl, text, html } = await message(node, recipient)
      for (const url of [callbackUrl, ...(`${text} ${html}`.match(/https?:[^\s"<>]+/g) ?? [])]) {
        urls.add(new URL(url).pathname)
      }
    }
    const ids: Record<string, string> = { otp_id: body.otp_id, company_id: companyId, app_id: appId }
    for (const { path } of Object.values(operations)) {
      urls.add(path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'none'))
    }
  }
  await settle(database)
  for (const { serverKey, appId } of tenants) {
    const headers = { authorization: `Basic ${Buffer.from(`any:${serverKey}`).toString('base64')}` }
    const { body: app } = await node.manage('GET', `/apps/${appId}`)
    const { body: listed } = await node.call('GET', '/twilio/v2/Attempts', { headers })
    const [attempt] = listed.attempts
    for (const { path } of twilioRoutes) {
      const sid = path.startsWith('/Attempts') ? attempt?.sid : attempt?.verification_sid
      const filled = path.replace(':ServiceSid', app.twilio_service_sid).replace(':Sid', sid ?? 'none')
      twilioReads.push({ path: `/twilio/v2${filled}`, headers })
    }
  }
  await settle(database)
  const seen = await lastingRows(database)
  for (const path of urls) {
    for (const key of [undefined, tenants[1]?.serverKey, tenants[2]?.publishableKey]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) await node.call(method, path, key ? { key } : {})
    }
    await node.manage('GET', path.replace(/^\/manage\/v1/, ''))
  }
  const found = new Set<string>()
  for (const { path, headers } of twilioReads) {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const { status } = await node.call(method, path, { headers })
      if (status === 200) found.add(path)
    }
  }
  // Five for the app that sent a text message; a link is no attempt and has no SID here.
  assert.ok(found.size >= 5, [...found].join())
  assert.deepEqual(await lastingRows(database), seen)
  for (const [index, otpId] of otpIds.entries()) {
    const answer = await status(node, tenants[index]?.serverKey ?? '', otpId)
    assert.equal(answer.body.status, 'pending')
  }
})
