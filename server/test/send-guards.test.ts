import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshEmail, freshPhone, send, started, status, until } from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'

const listed = {
  abusive: '45.155.205.9',
  tor: '185.220.101.7',
  proxy: '45.86.200.1',
  vpn: '193.32.249.1',
  hosting: '3.5.140.2',
  relay: '172.224.226.1',
} as const

describe('what a send is held to', { timeout: 120_000 }, () => {
  const capture = new Capture()
  let folder = ''
  let database: TestDatabase
  let node: Node
  /** The same, behind proxies on this machine and in 10.0.0.0/8. */
  let proxied: Node

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-send-'))
    const sources = []
    for (const [ipClass, address] of Object.entries(listed)) {
      const path = join(folder, `${ipClass}.txt`)
      await writeFile(
        path,
        `# a list\n; with comments\n\n${address.replace(/\d+$/, '0')}/24 ; and a network\n`,
      )
      sources.push({ path, class: ipClass })
    }
    await writeFile(join(folder, 'also-vpn.txt'), `${listed.abusive}\n2a0b:f4c2::/32\n`)
    sources.push({ path: join(folder, 'also-vpn.txt'), class: 'vpn' })
    const ipSourcesFile = join(folder, 'sources.json')
    await writeFile(ipSourcesFile, JSON.stringify(sources))
    database = await createTestDatabase()
    node = await startNode(database.url, { capture, ipSourcesFile })
    proxied = await startNode(database.url, {
      capture,
      ipSourcesFile,
      trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
    })
  })
  after(async () => {
    await node?.close()
    await proxied?.close()
    await database?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const refused = (answer: Answer, statusCode: number, type: string, scope?: string) => {
    assert.equal(answer.status, statusCode, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, type)
    if (scope) assert.equal(answer.body.error.details.scope, scope)
  }

  describe('without a channel that reaches the recipient', () => {
    for (const [name, settings, recipient] of [
      [
        'all are switched off',
        { channels: { sms: { enabled: false }, whatsapp: { enabled: false }, telegram: { enabled: false } } },
        freshPhone(),
      ],
      ['a phone number and only email', { routing: { default: ['email'] } }, freshPhone()],
      [
        'an email address and only phones',
        { routing: { default: ['sms', 'whatsapp', 'telegram'] } },
        freshEmail(),
      ],
      ['a fixed line and only sms', { routing: { default: ['sms'] } }, '+442079460958'],
      ['a country’s list without a usable one', { routing: { countries: { GB: ['email'] } } }, freshPhone()],
    ] as const) {
      it(`is refused: ${name}`, async () => {
        const { serverKey } = await createTenant(node, settings)
        refused(await send(node, serverKey, { recipient }), 409, 'NoEnabledChannelError')
      })
    }

    it('is refused: no provider for the channel or for the country', async () => {
      const providers = capture.providers(['sms', 'email']).map((provider) => ({
        ...provider,
        countries: provider.channel === 'sms' ? ['FR'] : null,
      }))
      const poor = await startNode(database.url, { capture, role: 'api', builtIn: () => providers })
      try {
        const { serverKey } = await createTenant(poor)
        refused(await send(poor, serverKey, { recipient: freshPhone() }), 409, 'NoEnabledChannelError')
        assert.equal((await send(poor, serverKey, { recipient: '+33612345678' })).body.channel, 'sms')
      } finally {
        await poor.close()
      }
    })

    it('is refused: every channel has turned out unreachable, for 30 days', async () => {
      const { serverKey } = await createTenant(node, { routing: { default: ['whatsapp'] } })
      const recipient = freshPhone()
      let count = 0
      capture.answerWith((message) =>
        message.recipient === recipient
          ? { kind: 'unreachable', error: { code: 'not_here', message: 'Not on WhatsApp.' } }
          : { kind: 'accepted', messageId: `g-${++count}` },
      )
      const { body } = await send(node, serverKey, { recipient })
      await until('the provider’s word', async () => {
        const seen = await status(node, serverKey, body.otp_id)
        return seen.body.deliveries[0].status === 'failed'
      })
      refused(await send(node, serverKey, { recipient }), 409, 'NoEnabledChannelError')
      await database.query(`update unreachable set expires_at = expires_at - interval '30 days'`)
      capture.answerWith(null)
      assert.equal((await started(node, serverKey, recipient)).answer.body.channel, 'whatsapp')
    })
  })

  it('the rules are asked in their order, so that of two broken ones the first is named', async () => {
    const { serverKey, appId, companyId } = await createTenant(
      node,
      { limits: { recipient: [{ max: 1, window_s: 600 }] } },
      { balance: '0.05' },
    )
    const recipient = freshPhone()
    const bad = { 'idempotency-key': 'k'.repeat(129) }
    const abused = { recipient, client_ip: listed.abusive }
    const patch = (settings: unknown) => node.manage('PATCH', `/apps/${appId}`, settings)
    const phones = (enabled: boolean) => ({
      channels: { sms: { enabled }, whatsapp: { enabled }, telegram: { enabled } },
    })

    refused(await send(node, 'otp_sk_no', { recipient: 7 }), 401, 'HTTPException')
    refused(await send(node, serverKey, { recipient: 'x', channel: 'sms' }), 422, 'ValidationError')
    refused(await send(node, serverKey, { recipient: 'x' }, bad), 422, 'InvalidIdempotencyKeyError')
    refused(await send(node, serverKey, { ...abused, recipient: 'x' }), 422, 'InvalidRecipientError')
    await patch({ geo: { countries: ['GB'] } })
    refused(await send(node, serverKey, abused), 403, 'GeoBlockedError')
    await patch({ geo: { countries: [] }, ...phones(false) })
    refused(await send(node, serverKey, abused), 403, 'IpReputationBlockedError')
    await patch(phones(true))
    assert.equal((await send(node, serverKey, { recipient })).status, 200)
    await patch(phones(false))
    refused(await send(node, serverKey, { recipient }), 409, 'NoEnabledChannelError')
    await patch(phones(true))
    refused(await send(node, serverKey, { recipient }), 429, 'RateLimitExceededError', 'recipient')
    refused(await send(node, serverKey, { recipient: freshPhone() }), 402, 'InsufficientFundsError')
    await node.manage('POST', `/companies/${companyId}/credits`, { amount: '0.05' })
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
  })

  it('a refused send leaves nothing behind in any table, and its key is free', async () => {
    const rows = async () => {
      const tables = await database.query<{ name: string }>(
        `select relname as name from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
      )
      const counts: Record<string, unknown> = {}
      for (const { name } of tables)
        counts[name] = (
          await database.query(
            `select count(*), md5(string_agg(t::text, '' order by t::text)) from ${name} t`,
          )
        )[0]
      return counts
    }
    const tenant = await createTenant(node, {
      routing: { default: ['sms'] },
      geo: { countries: ['FR'] },
      limits: { recipient: [{ max: 1, window_s: 600 }] },
    })
    const poor = await createTenant(node, {}, { balance: '0.01' })
    const spent = (await started(node, tenant.serverKey)).recipient
    await until('nothing is on its way', async () => {
      const queued = await database.query(`select 1 from deliveries where status = 'queued'`)
      return queued.length === 0
    })
    const earlier = await rows()
    assert.ok(Object.keys(earlier).includes('idempotency_keys'))
    const key = randomUUID()
    const headers = { 'idempotency-key': key }
    for (const [on, body, statusCode, type] of [
      [tenant, { recipient: freshPhone(), x: 1 }, 422, 'ValidationError'],
      [tenant, { recipient: 'x' }, 422, 'InvalidRecipientError'],
      [tenant, { recipient: '+33612345678' }, 403, 'GeoBlockedError'],
      [tenant, { recipient: freshPhone(), client_ip: listed.abusive }, 403, 'IpReputationBlockedError'],
      [tenant, { recipient: freshEmail() }, 409, 'NoEnabledChannelError'],
      [tenant, { recipient: spent }, 429, 'RateLimitExceededError'],
      [poor, { recipient: freshPhone() }, 402, 'InsufficientFundsError'],
    ] as const)
      refused(await send(node, on.serverKey, body, headers), statusCode, type)
    assert.deepEqual(await rows(), earlier)
    for (const { serverKey } of [tenant]) {
      assert.equal((await send(node, serverKey, { recipient: freshPhone() }, headers)).status, 200)
    }
  })
})
