/** Calls whose body comes long after their headers: what was changed meanwhile counts for them too. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { bodyMs } from '../src/http/principal.ts'
import { sidOf } from '../src/platform/sids.ts'
import { createTenant, freshPhone, send, type Tenant, untilInForce } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)

interface Late {
  /** Sends the rest of the body, late, and resolves with the status and the body of the answer. */
  readonly finish: () => Promise<[status: number | undefined, body: unknown]>
}

/** Resolves once the service has the headers and half of the body. */
async function begin(path: string, authorization: string, body: string): Promise<Late> {
  const half = body.length >> 1
  const headers = { authorization, 'content-length': body.length, expect: '100-continue' }
  const call = request(`${node.baseUrl}${path}`, { method: 'POST', headers })
  const answered = new Promise<[number | undefined, unknown]>((resolve, reject) => {
    call.on('error', reject)
    call.on('response', (answer) => {
      json(answer).then((read) => resolve([answer.statusCode, read]), reject)
    })
  })
  await new Promise<void>((resolve) => call.on('continue', resolve))
  call.write(body.slice(0, half))
  return {
    finish: async () => {
      // Whatever was done since the headers came may have taken less time than counts as late.
      await setTimeout(bodyMs * 2)
      call.end(body.slice(half))
      return answered
    },
  }
}

const sendLate = ({ serverKey }: Tenant, recipient: string) =>
  begin('/api/v1/otp/send', `Bearer ${serverKey}`, JSON.stringify({ recipient }))

const sendLateAsTwilio = ({ appId, serverKey }: Tenant, recipient: string) =>
  begin(
    `/twilio/v2/Services/${sidOf('app', appId as never)}/Verifications`,
    `Basic ${Buffer.from(`x:${serverKey}`).toString('base64')}`,
    new URLSearchParams({ To: recipient, Channel: 'sms' }).toString(),
  )

const statusOf = async ({ serverKey }: Tenant) =>
  (await send(node, serverKey, { recipient: freshPhone() })).status

async function revokeAll(tenant: Tenant): Promise<void> {
  const { keys } = (await node.manage('GET', `/apps/${tenant.appId}/keys`)).body
  for (const { key_id } of keys) await node.manage('DELETE', `/keys/${key_id}`)
  await untilInForce('the key to be refused', async () => (await statusOf(tenant)) === 401)
}

describe('a call whose body comes late', () => {
  for (const [api, start] of Object.entries({ 'this API': sendLate, 'Twilio’s': sendLateAsTwilio })) {
    it(`of ${api} is refused if its key was revoked meanwhile, and sends nothing`, async () => {
      const tenant = await createTenant(node)
      const recipient = freshPhone()
      const late = await start(tenant, recipient)
      await revokeAll(tenant)
      const [status] = await late.finish()
      assert.equal(status, 401)
      const found = await node.manage('POST', `/companies/${tenant.companyId}/search`, { recipient })
      assert.deepEqual(found.body.verifications, [])
    })

    it(`of ${api} is refused if its app was paused meanwhile`, async () => {
      const tenant = await createTenant(node)
      const late = await start(tenant, freshPhone())
      await node.manage('POST', `/apps/${tenant.appId}/pause`)
      await untilInForce('the pause', async () => (await statusOf(tenant)) !== 200)
      const [status] = await late.finish()
      assert.equal(status, 403)
    })

    it(`of ${api} is taken if nothing was changed`, async () => {
      const tenant = await createTenant(node)
      const late = await start(tenant, freshPhone())
      assert.equal(await statusOf(tenant), 200)
      const [status] = await late.finish()
      assert.ok(status === 200 || status === 201, String(status))
    })
  }
})
