/** The description of the API, compared with actual answers. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { healthAnswer, type OperationName, operations, readinessAnswer } from '@countersign/contract'
import type { z } from 'zod'
import { providerKinds } from '../src/channels/index.ts'
import {
  createTenant,
  freshEmail,
  freshPhone,
  resend,
  send,
  started,
  status,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService({ kinds: new Map(Object.entries(providerKinds)) })
after(close)
const tenant = await createTenant(node)
// biome-ignore lint/suspicious/noExplicitAny: a document is read along paths that the test asserts
const document: any = (await node.call('GET', '/api/v1/openapi.json')).body

describe('the OpenAPI document', () => {
  describe('as a promise', () => {
    /** Equal after parsing: everything documented is there, and nothing else. */
    function assertAnswer(name: OperationName, answer: Answer): void {
      const operation: { answer: z.ZodType; status?: number } = operations[name]
      assert.equal(answer.status, operation.status ?? 200, JSON.stringify(answer.body))
      assert.deepEqual(operation.answer.parse(answer.body), answer.body)
    }
    const callWith = (key: string) => (method: string, path: string, body?: unknown) =>
      node.call(method, path, { key, ...(body === undefined ? {} : { body }) })

    it('is kept by what a verification answers, from send to exchange', async () => {
      const asServer = callWith(tenant.serverKey)
      const { otpId, code, answer } = await started(node, tenant.publishableKey)
      assertAnswer('send', answer)
      assertAnswer(
        'send',
        await send(node, tenant.serverKey, { recipient: freshEmail(), locale: 'de', client_ip: '8.8.8.8' }),
      )
      assertAnswer('resend', await resend(node, tenant.publishableKey, otpId))
      assertAnswer('status', await status(node, tenant.serverKey, otpId))
      assertAnswer('verify', await verify(node, tenant.publishableKey, otpId, wrongCode(code)))
      const approved = await verify(node, tenant.publishableKey, otpId, code)
      assertAnswer('verify', approved)
      assertAnswer('status', await status(node, tenant.serverKey, otpId))
      assertAnswer('decision', await asServer('GET', `/api/v1/otp/${otpId}/decision`))
      assertAnswer(
        'exchange',
        await asServer('POST', '/api/v1/verifications/exchange', {
          verification_token: approved.body.verification_token,
        }),
      )
    })

    it('is kept by what a device sees: exactly the eight documented fields', async () => {
      const { otpId } = await started(node, tenant.publishableKey)
      const answer = await status(node, tenant.publishableKey, otpId)
      assert.deepEqual(Object.keys(answer.body).sort(), [
        'action_url',
        'channel',
        'completion',
        'expires_at',
        'masked_recipient',
        'otp_id',
        'resend_available_at',
        'status',
      ])
      assertAnswer('status', answer)
    })

    it('is kept by the pages that probes ask', async () => {
      for (const [path, schema] of [
        ['/healthz', healthAnswer],
        ['/readyz', readinessAnswer],
      ] as const) {
        const { status, body } = await node.call('GET', path)
        assert.equal(status, 200)
        assert.deepEqual(schema.parse(body), body)
      }
    })

    it('is kept by a link', async () => {
      const linked = await createTenant(node, {
        routing: { default: ['whatsapp'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
      })
      const answer = await send(node, linked.serverKey, { recipient: freshPhone() })
      assertAnswer('send', answer)
      assert.match(answer.body.action_url, /^https:\/\/wa\.me\/\d+\?text=/)
      assert.equal(answer.body.completion, 'inbound')
      assertAnswer('status', await status(node, linked.serverKey, answer.body.otp_id))
    })

    it('is kept by a preview, of a send that would go and of one that would not', async () => {
      const asServer = callWith(tenant.serverKey)
      assertAnswer('preview', await asServer('POST', '/api/v1/routing/preview', { recipient: freshPhone() }))
      assertAnswer('preview', await asServer('POST', '/api/v1/routing/preview', { recipient: 'nobody' }))
    })

    it('is kept by management', async () => {
      const company = await node.manage('POST', '/companies', { name: 'Acme', balance: '3.5' })
      assertAnswer('createCompany', company)
      const { company_id: companyId } = company.body
      assertAnswer('getCompany', await node.manage('GET', `/companies/${companyId}`))
      assertAnswer(
        'creditCompany',
        await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1' }),
      )
      assertAnswer('listLedger', await node.manage('GET', `/companies/${companyId}/ledger?limit=1`))
      assertAnswer(
        'eraseRecipient',
        await node.manage('POST', `/companies/${companyId}/erasures`, { recipient: freshPhone() }),
      )
      assertAnswer('getPrices', await node.manage('GET', '/prices'))
      assertAnswer(
        'putPrices',
        await node.manage('PUT', '/prices', (await node.manage('GET', '/prices')).body),
      )
      const app = await node.manage('POST', `/companies/${companyId}/apps`, { name: 'Acme' })
      assertAnswer('createApp', app)
      const { app_id: appId } = app.body
      assertAnswer('getApp', await node.manage('GET', `/apps/${appId}`))
      assertAnswer('updateApp', await node.manage('PATCH', `/apps/${appId}`, { code_length: 4 }))
      const key = await node.manage('POST', `/apps/${appId}/keys`, { kind: 'publishable', name: 'web' })
      assertAnswer('createKey', key)
      assertAnswer('listKeys', await node.manage('GET', `/apps/${appId}/keys`))
      assertAnswer('revokeKey', await node.manage('DELETE', `/keys/${key.body.key_id}`))
      assertAnswer('listKeys', await node.manage('GET', `/apps/${appId}/keys`))
    })

    it('is kept by accounts of every kind', async () => {
      const sid = '0'.repeat(32)
      const accounts = [
        ['sms', 'smpp', { host: '127.0.0.1', system_id: 'a', password: 'b', source_addr: 'ACME', tls: true }],
        ['sms', 'twilio', { account_sid: `AC${sid}`, auth_token: 'a', messaging_service_sid: `MG${sid}` }],
        [
          'whatsapp',
          'whatsapp',
          {
            phone_number_id: '1',
            number: '+15550001111',
            access_token: 'a',
            app_secret: 'b',
            verify_token: 'c',
            template_name: 'code',
            template_languages: { en: 'en_US' },
          },
        ],
        ['telegram', 'telegram', { token: 'a', sender_username: 'acme_codes' }],
        ['email', 'smtp', { host: '127.0.0.1', from: 'a@example.com', secure: false }],
      ] as const
      for (const [channel, kind, settings] of accounts) {
        const place = 'host' in settings ? {} : { base_url: 'http://127.0.0.1:9' }
        const made = await node.manage('POST', '/providers', {
          channel,
          kind,
          settings: { ...settings, ...place },
          enabled: false,
        })
        assertAnswer('createProvider', made)
        const path = `/providers/${made.body.provider_id}`
        assertAnswer('updateProvider', await node.manage('PATCH', path, { name: kind }))
        assertAnswer('listProviders', await node.manage('GET', '/providers'))
        assertAnswer('deleteProvider', await node.manage('DELETE', path))
      }
    })

    it('is kept by what people read', async () => {
      const { companyId, appId, serverKey } = await createTenant(node)
      const { otpId, code, recipient } = await started(node, serverKey)
      await verify(node, serverKey, otpId, wrongCode(code))
      await verify(node, serverKey, otpId, code)
      await send(node, serverKey, { recipient: freshEmail() })
      const reads = [
        ['listCompanies', 'GET', '/companies?limit=1'],
        ['updateCompany', 'PATCH', `/companies/${companyId}`, { name: 'Renamed' }],
        ['listApps', 'GET', `/companies/${companyId}/apps`],
        ['listVerifications', 'GET', `/apps/${appId}/verifications?limit=1`],
        ['searchVerifications', 'POST', `/apps/${appId}/verifications/search`, { recipient }],
        ['getVerification', 'GET', `/verifications/${otpId}`],
        ['getStats', 'GET', `/apps/${appId}/stats`],
        ['getStats', 'GET', `/apps/${appId}/stats?by=country`],
        ['getAttention', 'GET', `/apps/${appId}/attention`],
        ['previewSend', 'POST', `/apps/${appId}/preview`, { recipient }],
        ['lintMessage', 'POST', `/apps/${appId}/messages/lint`, { channel: 'email', locale: 'en' }],
        ['listIpSources', 'GET', '/ip-sources'],
        ['listLocales', 'GET', '/locales'],
      ] as const
      for (const [name, method, path, body] of reads)
        assertAnswer(name, await node.manage(method, path, body))
    })

    it('is kept by refusals: the documented status, in the documented body', async () => {
      const required = document.components.schemas.Error.required
      assert.deepEqual(required.toSorted(), ['error', 'request_id'])
      const refused = await send(node, tenant.serverKey, { recipient: 'nobody' })
      assert.deepEqual(Object.keys(refused.body).sort(), ['error', 'request_id'])
      assert.deepEqual(
        Object.keys(refused.body.error).sort(),
        document.components.schemas.Error.properties.error.required.toSorted(),
      )
    })
  })
})
