/** Alerts: each state is reported once, by whichever node looks, and once more when it is over. */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { newId } from '../src/platform/ids.ts'
import { startAlerts } from './alerts-support.ts'
import { until } from './harness/fixtures.ts'

const { database, nodes, hook, to, put, later, pauseEndpoint, fresh, answerWith, close } = await startAlerts()
after(close)
const [node] = nodes

describe('alerts', () => {
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
    assert.deepEqual(await put(companyId, body), { ...(await put(companyId, body)), body }, 'as it was read')
    assert.equal((await put(companyId, { ...body, signing_secret: 'whsec_mine' })).status, 422)
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
    // Before any node looks, so that the first look finds it.
    await pauseEndpoint(tenant, true)
    const { body: set } = await put(companyId, {
      channels: [
        { kind: 'webhook', to: hook('/once') },
        { kind: 'slack', to: hook('/slack') },
        { kind: 'email', to: 'ops-once@example.com' },
      ],
    })
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
    const mails = () => node.capture.to('ops-once@example.com', 'email')
    await until('it is mailed', async () => mails().length > 0)
    assert.match(mails()[0]?.subject ?? '', /^Alert: /)
    const { body: view } = await node.manage('GET', `/companies/${companyId}/alerts`)
    assert.equal(view.active[0].rule, 'webhook_paused')

    // Both nodes look again and again.
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

  it('are stored in a way that tells nobody who is told: an address can be guessed and hashed', async () => {
    const to = hook('/guessed')
    const keys: string[] = []
    for (const tenant of [await fresh(), await fresh()]) {
      const { companyId } = tenant
      await pauseEndpoint(tenant, true)
      await put(companyId, { channels: [{ kind: 'webhook', to }] })
      const { row, key } = await until('it is told', async () => {
        await database.query('update alert_settings set next_at = now() where company_id = $1', [companyId])
        const [notice] = await database.query<{ row: string; key: string }>(
          'select n::text as row, channel_key as key from alert_notices n where company_id = $1',
          [companyId],
        )
        return notice
      })
      keys.push(key)
      for (const text of [to, JSON.stringify({ kind: 'webhook', to })]) {
        const hash = createHash('sha256').update(text)
        assert.ok(!row.includes(text) && !row.includes(hash.digest('base64url')))
      }
    }
    assert.notEqual(keys[0], keys[1], 'nor which companies tell the same person')
  })

  it('that nobody can open are given up, like those that nobody takes', async () => {
    const { companyId } = await fresh()
    const noticeId = newId('notice', Date.now())
    await database.query(
      `insert into alert_notices (company_id, notice_id, rule, subject, is_recovery, channel, channel_key, body, attempt, next_attempt_at)
       values ($1, $2, 'webhook_paused', 'x', false, '\\x0001', 'x', '{}', 4, now())`,
      [companyId, noticeId],
    )
    await until('it is given up', async () => {
      const [row] = await database.query<{ attempt: number }>(
        'select attempt from alert_notices where notice_id = $1 and next_attempt_at is null',
        [noticeId],
      )
      return row?.attempt === 5
    })
    const told = nodes.flatMap(({ logged }) => logged).filter(({ fields }) => fields.owner === companyId)
    assert.deepEqual(
      told.map(({ message }) => message),
      ['an alert could not be told'],
    )
  })

  it('are tried five times, the last time half an hour after the one before', async () => {
    const { companyId } = await fresh()
    const noticeId = newId('notice', Date.now())
    await database.query(
      `insert into alert_notices (company_id, notice_id, rule, subject, is_recovery, channel, channel_key, body, attempt, next_attempt_at)
       values ($1, $2, 'webhook_paused', 'x', false, '\\x0001', 'x', '{}', 3, now())`,
      [companyId, noticeId],
    )
    const waits = await until('the fourth attempt has failed', async () => {
      const [row] = await database.query<{ minutes: number | null }>(
        `select extract(epoch from next_attempt_at - now())::float8 / 60 as minutes from alert_notices
          where notice_id = $1 and attempt = 4 and (next_attempt_at is null or next_attempt_at > now() + interval '2 minutes')`,
        [noticeId],
      )
      return row
    })
    assert.ok((waits.minutes ?? 0) > 20 && (waits.minutes ?? 0) <= 30, `${waits.minutes} minutes`)
  })

  it('are not told for a rule that is off, and are tried again where a hook does not take them', async () => {
    const [off, on] = [await fresh(), await fresh()]
    await put(off.companyId, {
      channels: [{ kind: 'slack', to: hook('/off') }],
      rules: { webhook_paused: { enabled: false } },
    })
    await put(on.companyId, { channels: [{ kind: 'slack', to: hook('/again') }] })
    answerWith(500)
    await pauseEndpoint(off, true)
    await pauseEndpoint(on, true)
    await until('the first attempt', async () => {
      await later(on.companyId, 40)
      return to('/again').length > 0
    })
    answerWith(200)
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

  it('are signed with a new secret once it is rotated, and for a day with the one before', async () => {
    const { companyId } = await fresh()
    const rotate = () => node.manage('POST', `/companies/${companyId}/alerts/rotate-secret`)
    const unset = await rotate()
    assert.deepEqual([unset.status, unset.body.error.type], [404, 'NotFoundError'])
    const set = await put(companyId, { channels: [{ kind: 'webhook', to: hook('/rotated') }] })
    const first: string = set.body.signing_secret
    const { body } = await rotate()
    assert.notEqual(body.signing_secret, first)
    const signaturesOf = async () => {
      await node.manage('POST', `/companies/${companyId}/alerts/test`)
      const { headers, raw } = to('/rotated').at(-1) ?? assert.fail('nothing came')
      const by = (secret: string) =>
        createHmac('sha256', secret).update(`${headers['x-webhook-timestamp']}.${raw}`).digest('hex')
      return {
        isByNew: headers['x-webhook-signature'] === by(body.signing_secret),
        isByFirst: headers['x-webhook-signature-previous'] === by(first),
      }
    }
    assert.deepEqual(await signaturesOf(), { isByNew: true, isByFirst: true })
    await database.query(
      `update alert_settings set previous_until = previous_until - interval '1 day' where company_id = $1`,
      [companyId],
    )
    assert.deepEqual(await signaturesOf(), { isByNew: true, isByFirst: false })
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
    await database.query(
      `update alert_settings set tested_at = array(select at + interval '30 days' from unnest(tested_at) at) where company_id = $1`,
      [companyId],
    )
    assert.equal((await node.manage('POST', path)).status, 200, 'after a clock that was ahead was put right')
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

  it('are told to nobody once the company is closed, and nobody looks for them', async () => {
    const tenant = await fresh()
    const { companyId } = tenant
    await pauseEndpoint(tenant, true)
    answerWith(500)
    await put(companyId, { channels: [{ kind: 'webhook', to: hook('/closed') }] })
    await until('a first attempt', async () => to('/closed').length > 0)
    assert.equal((await node.manage('DELETE', `/companies/${companyId}`)).status, 200)
    answerWith(200)
    for (const table of ['alert_settings', 'alert_states', 'alert_notices']) {
      const left = await database.query(`select 1 from ${table} where company_id = $1`, [companyId])
      assert.deepEqual(left, [], table)
    }
  })
})
