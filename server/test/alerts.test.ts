/** Alerts: each state is told once, by whichever node looks, and once more when it is over. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, type Tenant, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

interface Posted {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly raw: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads bodies of every shape
  readonly body: any
}

describe('alerts', { timeout: 120_000 }, () => {
  let database: TestDatabase
  let node: Node
  let other: Node
  let receiver: Server
  const posted: Posted[] = []
  let answer = 200

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
    other = await startNode(database.url)
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        posted.push({ path: request.url ?? '', headers: request.headers, raw, body: JSON.parse(raw) })
        response.statusCode = answer
        response.end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    await node?.close()
    await other?.close()
    receiver?.close()
    await database?.close()
  })

  const hook = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`
  const to = (path: string) => posted.filter((post) => post.path === path)
  const put = (companyId: string, body: object) => node.manage('PUT', `/companies/${companyId}/alerts`, body)
  /** As if so much time had passed: whose turn it is, what was seen when, and what waits. */
  const later = async (owner: string, seconds: number) => {
    const by = `- interval '${seconds} seconds'`
    await database.query(`update alert_settings set next_at = next_at ${by} where company_id = $1`, [owner])
    await database.query(`update alert_states set seen_at = seen_at ${by} where company_id = $1`, [owner])
    // Not those that are under way: whoever tells one would seem to have died, and another would tell it again.
    await database.query(
      `update alert_notices set next_attempt_at = next_attempt_at ${by} where company_id = $1 and attempt = 0`,
      [owner],
    )
  }
  const pauseEndpoint = ({ companyId, appId }: Tenant, isPaused: boolean) =>
    isPaused
      ? database.query(
          `insert into webhook_endpoints (company_id, app_id, endpoint_id, url, secret, status, paused_at, reason)
           values ($1, $2, 'whe_' || $2, 'http://127.0.0.1:9/', '', 'paused', now(), 'it fails')`,
          [companyId, appId],
        )
      : database.query('delete from webhook_endpoints where company_id = $1 and app_id = $2', [
          companyId,
          appId,
        ])
  const fresh = () => createTenant(node, {}, { metered: false })

  it('are set as a whole, complete with defaults, the secret shown once and addresses sealed', async () => {
    const { companyId } = await fresh()
    const empty = await node.manage('GET', `/companies/${companyId}/alerts`)
    assert.deepEqual(empty.body.channels, [])
    const usual = { quiet_hours: true, recovery: true }
    assert.deepEqual(empty.body.rules.low_balance, { enabled: true, threshold: 1, ...usual })
    const channels = [
      { kind: 'email', to: 'ops@example.com', quiet_hours: null },
      {
        kind: 'webhook',
        to: hook('/set'),
        quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' },
      },
    ]
    const set = await put(companyId, { channels, rules: { low_balance: { enabled: false, threshold: 5 } } })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    assert.match(set.body.signing_secret, /^whsec_/)
    const { body } = await node.manage('GET', `/companies/${companyId}/alerts`)
    assert.deepEqual(body.channels, channels)
    assert.deepEqual(body.rules.low_balance, { enabled: false, threshold: 5, ...usual })
    assert.deepEqual(body.rules.webhook_paused, { enabled: true, threshold: 0, ...usual })
    assert.equal(body.signing_secret, null)
    assert.equal((await put(companyId, { channels })).body.signing_secret, null)
    const [row] = await database.query<{ row: string }>('select s::text as row from alert_settings s')
    assert.ok(!row?.row.includes('ops@example'))
    for (const wrong of [
      { channels: [{ kind: 'pigeon', to: 'x' }] },
      { channels: [{ kind: 'email', to: 'nobody' }] },
      { channels: [{ kind: 'slack', to: 'http://10.0.0.1/hook' }] },
      { channels: [], rules: { unheard_of: { enabled: true } } },
      { channels: [{ ...channels[1], quiet_hours: { from: '25:00', to: '07:00' } }] },
      { channels: [{ ...channels[1], quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Mars' } }] },
    ])
      assert.equal((await put(companyId, wrong)).status, 422, JSON.stringify(wrong))
  })

  it('begin once and end once over two nodes, signed to a webhook, as text to Slack, by mail', async () => {
    const tenant = await fresh()
    const { companyId, appId } = tenant
    const { body: set } = await put(companyId, {
      channels: [
        { kind: 'webhook', to: hook('/once') },
        { kind: 'slack', to: hook('/slack') },
        { kind: 'email', to: 'ops-once@example.com' },
      ],
    })
    await pauseEndpoint(tenant, true)
    await until('it is told', async () => {
      await later(companyId, 60)
      return to('/once').length > 0 && to('/slack').length > 0
    })
    const [first] = to('/once')
    assert.ok(first)
    assert.equal(first.body.type, 'alert.started')
    assert.deepEqual(
      [first.body.payload.rule, first.body.payload.company_id, first.body.payload.subject],
      ['webhook_paused', companyId, `whe_${appId}`],
    )
    const timestamp = String(first.headers['x-webhook-timestamp'])
    const expected = createHmac('sha256', set.signing_secret)
      .update(`${timestamp}.${first.raw}`)
      .digest('hex')
    assert.equal(first.headers['x-webhook-signature'], expected)
    assert.match(to('/slack')[0]?.body.text, /^Alert: .*paused/)
    const mails = () => [
      ...node.capture.to('ops-once@example.com', 'email'),
      ...other.capture.to('ops-once@example.com', 'email'),
    ]
    await until('it is mailed', async () => mails().length > 0)
    assert.match(mails()[0]?.subject ?? '', /^Alert: /)
    const { body: view } = await node.manage('GET', `/companies/${companyId}/alerts`)
    assert.equal(view.active[0].rule, 'webhook_paused')

    // Looked at again and again, by both nodes.
    for (let round = 0; round < 3; round++) {
      const [before] = await database.query<{ next_at: Date }>(
        'select next_at from alert_settings where company_id = $1',
        [companyId],
      )
      await database.query('update alert_settings set next_at = now() where company_id = $1', [companyId])
      await until('it was looked at', async () => {
        const [row] = await database.query<{ next_at: Date }>(
          'select next_at from alert_settings where company_id = $1 and next_at > now()',
          [companyId],
        )
        return row && row.next_at !== before?.next_at
      })
    }
    assert.deepEqual([to('/once').length, to('/slack').length, mails().length], [1, 1, 1])

    await pauseEndpoint(tenant, false)
    await until('it is over', async () => {
      await later(companyId, 200)
      return to('/once').length === 2 && mails().length === 2
    })
    assert.equal(to('/once')[1]?.body.type, 'alert.recovered')
    assert.match(to('/slack')[1]?.body.text ?? 'Over', /^Over/)
  })

  it('wait for the end of quiet hours, and what is over by then is told to nobody', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    const hour = new Date().getUTCHours()
    const at = (shift: number) => `${String((hour + shift + 24) % 24).padStart(2, '0')}:00`
    await put(companyId, {
      channels: [
        { kind: 'webhook', to: hook('/quiet'), quiet_hours: { from: at(-2), to: at(3) } },
        { kind: 'webhook', to: hook('/loud') },
      ],
    })
    await pauseEndpoint(tenant, true)
    await until('the loud one is told', async () => {
      await database.query('update alert_settings set next_at = now() where company_id = $1', [companyId])
      return to('/loud').length === 1
    })
    await pauseEndpoint(tenant, false)
    await until('the loud one hears that it is over', async () => {
      await database.query(
        `update alert_states set seen_at = seen_at - interval '200 seconds' where company_id = $1`,
        [companyId],
      )
      await database.query('update alert_settings set next_at = now() where company_id = $1', [companyId])
      return to('/loud').length === 2
    })
    assert.deepEqual(to('/quiet'), [])
    await until('nothing waits to be told', async () => {
      const left = await database.query(
        'select 1 from alert_notices where company_id = $1 and next_attempt_at is not null',
        [companyId],
      )
      return left.length === 0
    })
    assert.deepEqual(to('/quiet'), [])
  })

  it('of a rule are told in quiet hours, only after so many minutes, or not when it is over, as it is set', async () => {
    const hour = new Date().getUTCHours()
    const at = (shift: number) => `${String((hour + shift + 24) % 24).padStart(2, '0')}:00`
    const quiet_hours = { from: at(-2), to: at(3) }
    const cases = {
      urgent: { quiet_hours: false, recovery: false },
      patient: { quiet_hours: false, threshold: 30 },
      asleep: {},
    }
    const tenants = new Map<string, Tenant>()
    for (const [name, rule] of Object.entries(cases)) {
      const tenant = await fresh()
      tenants.set(name, tenant)
      await put(tenant.companyId, {
        channels: [{ kind: 'webhook', to: hook(`/${name}`), quiet_hours }],
        rules: { webhook_paused: { enabled: true, ...rule } },
      })
      await pauseEndpoint(tenant, true)
    }
    const look = (seenSeconds: number) =>
      Promise.all(
        [...tenants.values()].map(async ({ companyId }) => {
          await database.query(
            `update alert_states set seen_at = seen_at - $2 * interval '1 second' where company_id = $1`,
            [companyId, seenSeconds],
          )
          await database.query('update alert_settings set next_at = now() where company_id = $1', [companyId])
        }),
      )
    const isActive = async (name: string) =>
      (await node.manage('GET', `/companies/${tenants.get(name)?.companyId}/alerts`)).body.active.length === 1
    await until('all hold, and the urgent one is told', async () => {
      await look(0)
      const active = await Promise.all([...tenants.keys()].map(isActive))
      return active.every(Boolean) && to('/urgent').length === 1
    })
    const waits = await database.query<{ company_id: string; minutes: number }>(
      `select company_id, extract(epoch from next_attempt_at - created_at)::integer / 60 as minutes from alert_notices
        where next_attempt_at is not null and company_id = any($1)`,
      [[...tenants.values()].map(({ companyId }) => companyId)],
    )
    const minutesOf = (name: string) =>
      waits.find(({ company_id }) => company_id === tenants.get(name)?.companyId)?.minutes ?? 0
    assert.ok(Math.abs(minutesOf('patient') - 30) <= 1, 'it has to last for half an hour')
    assert.ok(minutesOf('asleep') > 100, 'it waits for the end of quiet hours')
    await Promise.all([...tenants.values()].map((tenant) => pauseEndpoint(tenant, false)))
    await until('all are over', async () => {
      await look(200)
      const active = await Promise.all([...tenants.keys()].map(isActive))
      return !active.some(Boolean)
    })
    const left = await database.query(
      'select 1 from alert_notices where next_attempt_at is not null and company_id = any($1)',
      [[...tenants.values()].map(({ companyId }) => companyId)],
    )
    assert.deepEqual([left, to('/urgent').length, to('/patient'), to('/asleep')], [[], 1, [], []])
  })

  it('are not told for a rule that is off, and are tried again where a hook does not take them', async () => {
    const [off, on] = [await fresh(), await fresh()]
    await put(off.companyId, {
      channels: [{ kind: 'slack', to: hook('/off') }],
      rules: { webhook_paused: { enabled: false } },
    })
    await put(on.companyId, { channels: [{ kind: 'slack', to: hook('/again') }] })
    answer = 500
    await pauseEndpoint(off, true)
    await pauseEndpoint(on, true)
    await until('the first attempt', async () => {
      await later(on.companyId, 40)
      return to('/again').length > 0
    })
    answer = 200
    const sent = () =>
      database.query('select 1 from alert_notices where company_id = $1 and sent_at is not null', [
        on.companyId,
      ])
    await until('the second one', async () => {
      await database.query(
        `update alert_notices set next_attempt_at = next_attempt_at - interval '20 seconds' where company_id = $1`,
        [on.companyId],
      )
      return (await sent()).length === 1
    })
    await database.query('update alert_settings set next_at = now() where company_id = $1', [off.companyId])
    await until('it was looked at', async () => {
      const rows = await database.query(
        'select 1 from alert_settings where company_id = $1 and next_at > now()',
        [off.companyId],
      )
      return rows.length === 1
    })
    assert.deepEqual(to('/off'), [])
  })

  it('are tried out at once, within a bound, and say how each channel went', async () => {
    const { companyId } = await fresh()
    await put(companyId, {
      channels: [
        { kind: 'webhook', to: hook('/test') },
        { kind: 'slack', to: 'http://127.0.0.1:9/nobody' },
      ],
    })
    const path = `/companies/${companyId}/alerts/test`
    const { body } = await node.manage('POST', path)
    assert.deepEqual(
      body.results.map(({ kind, ok }: { kind: string; ok: boolean }) => [kind, ok]),
      [
        ['webhook', true],
        ['slack', false],
      ],
    )
    assert.equal(to('/test')[0]?.body.type, 'alert.test')
    const answers = await Promise.all(Array.from({ length: 15 }, () => node.manage('POST', path)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 9)
  })

  it('of the operator tell of accounts that fail and of companies in trouble', async () => {
    const tenant = await fresh()
    await pauseEndpoint(tenant, true)
    const set = await node.manage('PUT', '/alerts', { channels: [{ kind: 'slack', to: hook('/operator') }] })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    await until('it is told', async () => {
      await later('operator', 60)
      return to('/operator').some(({ body }) => /webhook endpoint is paused/.test(body.text))
    })
    const { body } = await node.manage('GET', '/alerts')
    assert.ok(body.active.some(({ subject }: { subject: string }) => subject === tenant.appId))
    await node.manage('PUT', '/alerts', { channels: [] })
  })
})
