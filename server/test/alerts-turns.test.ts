/** Whose turn it is to be looked at, and what becomes of notices that were tried. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { takeTurns } from '../src/domain/alerts/store.ts'
import { startAlerts } from './alerts-support.ts'
import { until } from './harness/fixtures.ts'

const { database, nodes, hook, to, put, later, pauseEndpoint, fresh, answerWith, hang, close } =
  await startAlerts()
after(close)
const [node] = nodes

const activeOf = async (companyId: string) =>
  (await node.manage('GET', `/companies/${companyId}/alerts`)).body.active

describe('alerts', () => {
  it('say of a state what is true now, and nothing of one that nobody looks for any more', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    await pauseEndpoint(tenant, true)
    await put(companyId, { channels: [{ kind: 'slack', to: hook('/now') }] })
    await until('it is found', async () => (await activeOf(companyId)).length === 1)
    const [{ message }] = await activeOf(companyId)
    await database.query(`update alert_states set message = 'stale' where company_id = $1`, [companyId])
    await until('it says what is true', async () => {
      await database.query('update alert_settings set next_at = now() where company_id = $1', [companyId])
      return (await activeOf(companyId))[0].message === message
    })
    await put(companyId, { channels: [] })
    assert.deepEqual(await activeOf(companyId), [])
    const long = new Date('2026-01-01T00:00:00Z')
    await database.query('update alert_settings set next_at = $2 where company_id = $1', [companyId, long])
    await takeTurns(node.app.database, { everySeconds: 30, most: 20 })
    const [settings] = await database.query<{ next_at: Date }>(
      'select next_at from alert_settings where company_id = $1',
      [companyId],
    )
    assert.deepEqual(settings?.next_at, long, 'it has no turn')
  })

  it('are looked for, told and ended again once a clock that was a month ahead is right', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    await pauseEndpoint(tenant, true)
    await put(companyId, { channels: [{ kind: 'slack', to: hook('/ahead') }] })
    await until('it is told', () => to('/ahead').length === 1)
    await later(companyId, -30 * 86_400)
    await pauseEndpoint(tenant, false)
    await until('its end is told', () => to('/ahead').length === 2)
    assert.deepEqual(await activeOf(companyId), [])
  })

  it('that were to be told in the future of a clock that was ahead are told', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    await pauseEndpoint(tenant, true)
    const hour = new Date().getUTCHours()
    const at = (shift: number) => `${String((hour + shift + 24) % 24).padStart(2, '0')}:00`
    const quiet = { from: at(-2), to: at(3) }
    await put(companyId, { channels: [{ kind: 'slack', to: hook('/waits'), quiet_hours: quiet }] })
    await until('it waits', async () => {
      const rows = await database.query('select 1 from alert_notices where company_id = $1', [companyId])
      return rows.length === 1
    })
    await later(companyId, -30 * 86_400)
    await until('it is told', () => to('/waits').length === 1)
  })

  it('that a look finds while the last channel is removed are not kept', async () => {
    const tenant = await fresh()
    const next = await fresh()
    for (const one of [tenant, next]) {
      await pauseEndpoint(one, true)
      await put(one.companyId, { channels: [{ kind: 'slack', to: hook('/removed') }] })
      await until('it is found', async () => (await activeOf(one.companyId)).length === 1)
    }
    await database.query(`update alert_states set message = 'stale' where company_id = $1`, [next.companyId])
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('begin; lock table webhook_endpoints in access exclusive mode')
    // In one turn: when the second is looked at, the look at the first is over.
    await database.query(
      `update alert_settings set next_at = now() - case when company_id = $1 then 9 else 1 end * interval '1 second'
        where company_id = any($2)`,
      [tenant.companyId, [tenant.companyId, next.companyId]],
    )
    await until('the look is under way', async () => {
      const waiting = await database.query(
        `select 1 from pg_locks where not granted and relation = 'webhook_endpoints'::regclass
            and database = (select oid from pg_database where datname = current_database())
            and exists (select 1 from alert_settings where company_id = $1 and next_at > now())`,
        [tenant.companyId],
      )
      return waiting.length > 0
    })
    assert.deepEqual((await put(tenant.companyId, { channels: [] })).body.active, [])
    await holder.query('rollback')
    await holder.end()
    await until('the look is over', async () => (await activeOf(next.companyId))[0].message !== 'stale')
    assert.deepEqual(await activeOf(tenant.companyId), [])
  })

  it('of one company that cannot be looked for keep nobody else from being told', async () => {
    const broken = await Promise.all([fresh(), fresh(), fresh()])
    for (const { companyId } of broken) {
      await put(companyId, { channels: [{ kind: 'slack', to: hook('/broken') }] })
      await database.query(`update alert_settings set channels = '\\x0001' where company_id = $1`, [
        companyId,
      ])
    }
    const tenant = await fresh()
    await pauseEndpoint(tenant, true)
    await put(tenant.companyId, { channels: [{ kind: 'slack', to: hook('/well') }] })
    await until('it is told', async () => {
      // In one turn, the broken ones first.
      await database.query(
        `update alert_settings set next_at = now() - case when company_id = $1 then 1 else 9 end * interval '1 second'`,
        [tenant.companyId],
      )
      return to('/well').length > 0
    })
  })

  it('that were tried may have arrived: their end is told', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    await pauseEndpoint(tenant, true)
    answerWith(500)
    await put(companyId, { channels: [{ kind: 'webhook', to: hook('/tried') }] })
    await until('the first attempt', async () => to('/tried').length > 0)
    answerWith(200)
    await pauseEndpoint(tenant, false)
    await until('its end', async () => {
      await later(companyId, 200)
      return to('/tried').some(({ body }) => body.type === 'alert.recovered')
    })
  })

  it('that last into quiet hours wait for their end', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16)
    await pauseEndpoint(tenant, true)
    await put(companyId, {
      channels: [
        { kind: 'webhook', to: hook('/into'), quiet_hours: { from: inMinutes(20), to: inMinutes(300) } },
      ],
      rules: { webhook_paused: { enabled: true, threshold: 30 } },
    })
    const waits = await until('its notice waits', async () => {
      const [row] = await database.query<{ minutes: number }>(
        `select extract(epoch from next_attempt_at - now())::float8 / 60 as minutes from alert_notices where company_id = $1`,
        [companyId],
      )
      return row
    })
    assert.ok(waits.minutes > 240 && waits.minutes <= 300, `${waits.minutes} minutes`)
  })

  it('of a company whose channel hangs, however many there are, delay those of others by a round at most', async () => {
    const roundOfNotices = 20
    const many = await fresh()
    const other = await fresh()
    const hour = new Date().getUTCHours()
    const at = (shift: number) => `${String((hour + shift + 24) % 24).padStart(2, '0')}:00`
    const quiet = { from: at(-2), to: at(3) }
    const { release } = hang('/hangs')
    for (const one of [many, other]) await pauseEndpoint(one, true)
    await put(many.companyId, { channels: [{ kind: 'slack', to: hook('/hangs'), quiet_hours: quiet }] })
    // The one that waits for the end of quiet hours is copied.
    await until('many are due', async () => {
      const copied = await database.query(
        `insert into alert_notices (company_id, notice_id, rule, subject, is_recovery, channel, channel_key, body, next_attempt_at)
         select company_id, notice_id || n, rule, subject, is_recovery, channel, channel_key, body, now() - interval '1 hour'
           from alert_notices, generate_series(1, 400) n where company_id = $1 returning 1`,
        [many.companyId],
      )
      return copied.length > 0
    })
    await until('a node waits for the channel', () => to('/hangs').length > 0)
    await put(other.companyId, { channels: [{ kind: 'slack', to: hook('/other') }] })
    const before = to('/hangs').length
    release()
    await until('the other company is told', () => to('/other').length === 1)
    // What both nodes have in hand, and a few rounds more that one has while the other looks. All would be 400.
    const meanwhile = to('/hangs').length - before
    assert.ok(meanwhile <= nodes.length * 4 * roundOfNotices, `after ${meanwhile} others`)
    await put(many.companyId, { channels: [] })
    release()
  })
})
