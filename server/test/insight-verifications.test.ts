/** Lists of verifications: what they find, in which order, and that a page costs the same however much there is. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { readPage } from '../src/domain/insight/list-store.ts'
import { type AppId, type CompanyId, lowestId } from '../src/platform/ids.ts'
import { makeQueryable } from '../src/platform/tenant.ts'
import {
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { makePastDays, type Seeded, seedVerifications } from './harness/seed.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

interface Page {
  readonly verifications: { otp_id: string; status: string; delivery_status: string | null }[]
  readonly next_cursor: string | null
  readonly searched_to: string | null
}

const get = (appId: string, query: Record<string, string> = {}): Promise<Answer> =>
  node.manage('GET', `/apps/${appId}/verifications?${new URLSearchParams(query)}`)
async function list(appId: string, query: Record<string, string> = {}): Promise<Page> {
  const answer = await get(appId, query)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}
const idsOf = (page: Page) => page.verifications.map(({ otp_id }) => otp_id)

async function walk(appId: string, query: Record<string, string>): Promise<{ ids: string[]; pages: Page[] }> {
  const pages: Page[] = []
  let cursor: string | null = null
  do {
    assert.ok(pages.length < 100, 'no end of pages')
    const page: Page = await list(appId, { ...query, ...(cursor ? { cursor } : {}) })
    pages.push(page)
    cursor = page.next_cursor
  } while (cursor)
  return { ids: pages.flatMap(idsOf), pages }
}

describe('a list of verifications', { timeout: 120_000 }, () => {
  it('has the newest first, in pages that neither repeat nor leave out', async () => {
    const { appId, serverKey } = await createTenant(node)
    const sent: string[] = []
    for (let index = 0; index < 7; index++)
      sent.push((await send(node, serverKey, { recipient: freshPhone() })).body.otp_id)
    const { ids, pages } = await walk(appId, { limit: '3' })
    assert.deepEqual(ids, sent.toSorted().reverse())
    assert.deepEqual(
      pages.map((page) => page.verifications.length),
      [3, 3, 1],
    )
    assert.equal(pages.at(-1)?.searched_to, null)
    assert.ok(pages[0]?.searched_to)
  })

  it('shows what a verification came to, and nothing of who it was for', async () => {
    const { appId, serverKey } = await createTenant(node)
    const { otpId, code, recipient } = await started(node, serverKey)
    await verify(node, serverKey, otpId, wrongCode(code))
    await resend(node, serverKey, otpId)
    await message(node, recipient, 1)
    await verify(node, serverKey, otpId, code)
    const [seen] = (await list(appId)).verifications
    const { created_at, verified_at, delivery_status, ...rest } = seen as Record<string, unknown>
    assert.deepEqual(rest, {
      otp_id: otpId,
      status: 'approved',
      channel: 'whatsapp',
      masked_recipient: `+44****${recipient.slice(-2)}`,
      recipient_type: 'phone',
      country: 'GB',
      sends: 2,
      attempts: 1,
    })
    assert.ok(Date.parse(String(created_at)) < Date.parse(String(verified_at)))
    assert.match(String(delivery_status), /^(queued|sent)$/)
    assert.ok(!JSON.stringify(seen).includes(recipient.slice(4)))
  })

  it('has the status of the newest message, and null where none was sent', async () => {
    const { appId, serverKey } = await createTenant(node, {
      routing: { default: ['sms', 'whatsapp'] },
      channels: { whatsapp: { mode: 'link_code' } },
    })
    const failing = freshPhone()
    node.capture.answerWith((outgoing) =>
      outgoing.recipient === failing
        ? { kind: 'refused', error: { code: 'no', message: 'No.' } }
        : { kind: 'accepted', messageId: 'm' },
    )
    try {
      await send(node, serverKey, { recipient: failing })
      await until(
        'the failure',
        async () => (await list(appId)).verifications[0]?.delivery_status === 'failed',
      )
    } finally {
      node.capture.answerWith(null)
    }
    await node.manage('PATCH', `/apps/${appId}`, { routing: { default: ['whatsapp'] } })
    await send(node, serverKey, { recipient: freshPhone() })
    assert.deepEqual(
      (await list(appId)).verifications.map((seen) => seen.delivery_status),
      [null, 'failed'],
    )
  })

  it('finds a recipient typed in full, by GET and by POST, in each of its spellings, and nobody else', async () => {
    const { appId, serverKey } = await createTenant(node)
    const phone = freshPhone()
    const first = (await send(node, serverKey, { recipient: phone })).body.otp_id
    await send(node, serverKey, { recipient: freshPhone() })
    const second = (await send(node, serverKey, { recipient: phone })).body.otp_id
    const mail = (await send(node, serverKey, { recipient: 'Ada.Lovelace+shop@gmail.com' })).body.otp_id
    assert.deepEqual(idsOf(await list(appId, { recipient: phone })), [second, first])
    const search = (body: unknown) => node.manage('POST', `/apps/${appId}/verifications/search`, body)
    assert.deepEqual(idsOf((await search({ recipient: phone })).body), [second, first])
    assert.deepEqual(idsOf((await search({ recipient: 'adalovelace@googlemail.com' })).body), [mail])
    assert.deepEqual(idsOf((await search({ recipient: freshPhone() })).body), [])
    const page = (await search({ recipient: phone, limit: 1 })).body
    assert.deepEqual(idsOf(page), [second])
    const rest = await search({ recipient: phone, limit: 1, cursor: page.next_cursor })
    assert.deepEqual(idsOf(rest.body), [first])
    const stranger = await createTenant(node)
    assert.deepEqual(idsOf(await list(stranger.appId, { recipient: phone })), [])
  })

  it('refuses what is no whole recipient as a send does', async () => {
    const { appId } = await createTenant(node)
    for (const recipient of ['+44', 'nobody', '', '+4474001234567890']) {
      for (const answer of [
        await get(appId, { recipient }),
        await node.manage('POST', `/apps/${appId}/verifications/search`, { recipient }),
      ]) {
        assert.equal(answer.status, 422)
        assert.equal(answer.body.error.type, 'InvalidRecipientError')
        if (recipient) assert.ok(!JSON.stringify(answer.body).includes(recipient))
      }
    }
  })

  it('filters by status, and what is expired is so from the instant that it is', async () => {
    const tenant = await createTenant(node)
    const { appId } = tenant
    const now = Date.now()
    const [expired, approved, failed, pending] = await seedVerifications(database, tenant, [
      { atMs: now - 700_000 },
      { atMs: now - 600_500, approvedAfterMs: 5_000 },
      { atMs: now - 500_000, status: 'failed' },
      { atMs: now - 10_000 },
    ])
    const by = async (wanted: string) => {
      const page = await list(appId, { status: wanted })
      for (const { status } of page.verifications) assert.equal(status, wanted)
      return idsOf(page)
    }
    assert.deepEqual(await by('expired'), [expired])
    assert.deepEqual(await by('approved'), [approved])
    assert.deepEqual(await by('failed'), [failed])
    assert.deepEqual(await by('pending'), [pending])
  })

  it('filters by channel, country, id and time, alone and together', async () => {
    const tenant = await createTenant(node)
    const { appId } = tenant
    const now = Date.now()
    const ids = await seedVerifications(database, tenant, [
      { atMs: now - 40_000, channel: 'sms', country: 'GB' },
      { atMs: now - 30_000, channel: 'whatsapp', country: 'GB' },
      { atMs: now - 20_000, channel: 'whatsapp', country: 'BR' },
      { atMs: now - 10_000, channel: 'email', country: null },
    ])
    const found = async (query: Record<string, string>) =>
      idsOf(await list(appId, query)).map((id) => ids.indexOf(id))
    const at = (ms: number) => new Date(now - ms).toISOString()
    assert.deepEqual(await found({ channel: 'whatsapp' }), [2, 1])
    assert.deepEqual(await found({ country: 'GB' }), [1, 0])
    assert.deepEqual(await found({ channel: 'whatsapp', country: 'GB' }), [1])
    assert.deepEqual(await found({ from: at(30_000) }), [3, 2, 1])
    assert.deepEqual(await found({ to: at(30_000) }), [0])
    assert.deepEqual(await found({ from: at(30_000), to: at(10_000) }), [2, 1])
    assert.deepEqual(await found({ from: at(0), to: at(50_000) }), [])
    assert.deepEqual(await found({ otp_id: ids[2] ?? '' }), [2])
    assert.deepEqual(await found({ otp_id: ids[2] ?? '', channel: 'sms' }), [])
    assert.deepEqual(await found({ otp_id: 'otp_x' }), [])
    assert.deepEqual(
      await found({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T00:00:00Z', limit: '1' }),
      [3],
    )
  })

  it('names the field that it refuses', async () => {
    const { appId } = await createTenant(node)
    const cases: Record<string, string> = {
      cursor: 'otp_nonsense',
      status: 'done',
      channel: 'fax',
      country: 'gb',
      from: 'yesterday',
      to: '2026-01-01',
      limit: '201',
      colour: 'red',
    }
    for (const [field, value] of Object.entries(cases)) {
      const answer = await get(appId, { [field]: value })
      assert.equal(answer.status, 422, field)
      assert.deepEqual(
        answer.body.error.details.fields.map(({ path }: { path: string }) => path),
        [field],
      )
    }
  })

  it('is the app’s own', async () => {
    const tenant = await createTenant(node)
    const { otpId } = await started(node, tenant.serverKey)
    const other = await createTenant(node)
    assert.deepEqual(idsOf(await list(other.appId, { otp_id: otpId })), [])
    assert.equal((await get('app_70000000000000000000000000')).status, 404)
  })
})

describe('with a hundred thousand verifications', { timeout: 180_000 }, () => {
  it('a page costs what it costs with a hundred, and a rare filter is searched for in bounded bites', async () => {
    await makePastDays(database, 30)
    const [small, large] = [await createTenant(node), await createTenant(node)]
    const now = Date.now()
    const spread = (count: number): Seeded[] =>
      Array.from({ length: count }, (_, index) => ({
        atMs: now - 10 * 86_400_000 + Math.floor((index / count) * 9 * 86_400_000),
        country: index === 3 ? 'FJ' : 'GB',
      }))
    await seedVerifications(database, small, spread(100))
    const ids = await seedVerifications(database, large, spread(100_000))
    await database.query('analyze verifications')

    const ofSmall = await explainPage(small, null)
    const ofLarge = await explainPage(large, null)
    assert.deepEqual(ofLarge.sorts, [], 'rows come in the order of the index')
    assert.ok(ofLarge.rows <= 51, `read ${ofLarge.rows} rows for a page of 50`)
    assert.ok(
      ofLarge.buffers <= 2 * ofSmall.buffers + 20,
      `${ofLarge.buffers} pages against ${ofSmall.buffers}`,
    )

    const rare = await explainPage(large, 'FJ')
    assert.ok(rare.rows <= 2 * 20_000, `looked at ${rare.rows} rows`)

    const { ids: found, pages } = await walk(large.appId, { country: 'FJ' })
    assert.deepEqual(found, [ids[3]])
    assert.equal(pages.length, 6)
    assert.deepEqual(
      pages.map((page) => page.verifications.length),
      [0, 0, 0, 0, 1, 0],
    )
    const reached = pages.slice(0, -1).map((page) => Date.parse(page.searched_to ?? ''))
    assert.deepEqual(
      reached,
      reached.toSorted((left, right) => right - left),
    )
  })

  interface PlanNode {
    readonly 'Node Type': string
    readonly 'Relation Name'?: string
    readonly 'Actual Rows': number
    readonly 'Actual Loops': number
    readonly 'Rows Removed by Filter'?: number
    readonly 'Shared Hit Blocks': number
    readonly 'Shared Read Blocks': number
    readonly Plans?: readonly PlanNode[]
  }

  /** The statement as the service sends it, explained instead of run. */
  async function explainPage(
    { companyId, appId }: { readonly companyId: string; readonly appId: string },
    country: string | null,
  ) {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      let plan: PlanNode | undefined
      const explaining = makeQueryable(async (statement) => {
        const found = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (analyze, buffers, format json) ${statement.text}`,
          statement.values,
        )
        plan = found.rows[0]?.['QUERY PLAN'][0].Plan
        return { rows: [] } as never
      })
      await readPage(explaining.of(companyId as CompanyId), appId as AppId, {
        since: lowestId('verification', 0),
        before: lowestId('verification', Date.UTC(9999, 0)),
        recipientHash: null,
        status: null,
        channel: null,
        country,
        limit: 51,
        mostLookedAt: 20_000,
      })
      assert.ok(plan)
      const sorts: string[] = []
      let rows = 0
      visit(plan, (part) => {
        if (part['Relation Name']?.startsWith('verifications'))
          rows += (part['Actual Rows'] + (part['Rows Removed by Filter'] ?? 0)) * part['Actual Loops']
        if (part['Node Type'] === 'Sort' && part['Actual Rows'] > 51) sorts.push(part['Node Type'])
        if (part['Node Type'] === 'Seq Scan' && part['Actual Loops'] > 0 && part['Actual Rows'] > 0)
          sorts.push(`${part['Node Type']} on ${part['Relation Name']}`)
      })
      return { rows, sorts, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
    } finally {
      await client.end()
    }
  }

  function visit(plan: PlanNode, see: (part: PlanNode) => void): void {
    see(plan)
    for (const child of plan.Plans ?? []) visit(child, see)
  }
})
