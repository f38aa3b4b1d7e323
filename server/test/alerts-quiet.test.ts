/** Alerts that wait: for the end of quiet hours, or until a state has lasted long enough. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startAlerts } from './alerts-support.ts'
import { type Tenant, until } from './harness/fixtures.ts'

const { database, nodes, hook, to, put, pauseEndpoint, fresh, close } = await startAlerts()
after(close)
const [node] = nodes

describe('alerts', () => {
  it('wait for the end of quiet hours, and what is over by then is told to nobody', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    const hour = new Date().getUTCHours()
    const at = (shift: number) => `${String((hour + shift + 24) % 24).padStart(2, '0')}:00`
    await pauseEndpoint(tenant, true)
    await put(companyId, {
      channels: [
        { kind: 'webhook', to: hook('/quiet'), quiet_hours: { from: at(-2), to: at(3) } },
        { kind: 'webhook', to: hook('/loud') },
      ],
    })
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

  it('that wait for a channel go to nobody once it is removed', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    const hour = new Date().getUTCHours()
    const at = (shift: number) => `${String((hour + shift + 24) % 24).padStart(2, '0')}:00`
    await pauseEndpoint(tenant, true)
    const stays = { kind: 'webhook', to: hook('/stays') }
    const goes = { kind: 'webhook', to: hook('/goes'), quiet_hours: { from: at(-2), to: at(3) } }
    await put(companyId, { channels: [stays, goes] })
    await until('the other channel is told', async () => {
      await database.query('update alert_settings set next_at = now() where company_id = $1', [companyId])
      return to('/stays').length === 1
    })
    assert.equal((await put(companyId, { channels: [stays] })).status, 200)
    await until('nothing waits to be told', async () => {
      const left = await database.query(
        `update alert_notices set next_attempt_at = now()
          where company_id = $1 and attempt = 0 returning 1`,
        [companyId],
      )
      const waiting = await database.query(
        'select 1 from alert_notices where company_id = $1 and next_attempt_at is not null',
        [companyId],
      )
      return left.length === 0 && waiting.length === 0
    })
    assert.deepEqual(to('/goes'), [])
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
    await until('all are over, and nothing waits to be told', async () => {
      await look(200)
      const active = await Promise.all([...tenants.keys()].map(isActive))
      const left = await database.query(
        'select 1 from alert_notices where next_attempt_at is not null and company_id = any($1)',
        [[...tenants.values()].map(({ companyId }) => companyId)],
      )
      return !active.some(Boolean) && left.length === 0
    })
    assert.deepEqual([to('/urgent').length, to('/patient'), to('/asleep')], [1, [], []])
  })
})
