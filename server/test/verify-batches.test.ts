/** Guesses that are judged together get the same answers, and leave the same rows, as one by one. */
import assert from 'node:assert/strict'
import { subscribe as listen } from 'node:diagnostics_channel'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import {
  createApp,
  createKey,
  createTenant,
  freshPhone,
  sendPatiently,
  type Tenant,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { whileHeld as whileTableHeld } from './harness/held-table.ts'
import type { Answer } from './harness/node.ts'
import { attemptsSpent, eventTypes } from './harness/records.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService({ role: 'api' })
after(close)

/** Like `started`, without waiting for the message. */
async function started(
  key: string,
  recipient = freshPhone(),
  extra: Record<string, unknown> = {},
): Promise<{ otpId: string; code: string }> {
  const answer = await sendPatiently(node, key, { recipient, ...extra })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const otpId: string = answer.body.otp_id
  return { otpId, code: node.app.keyring().code(1, otpId, 1, 6) }
}

let judgements = 0
listen('countersign:statement', (text) => {
  if (String(text).includes('every company: guesses')) judgements++
})

/** Two lanes, each with one statement that waited and one for all guesses that came meanwhile; some come late. */
const mostJudgements = 12

const verifyWhileHeld = (guesses: readonly Ready[]) =>
  whileTableHeld('verifications', { database, node, keys: guesses.map(({ key }) => key) }, () =>
    guesses.map(({ key, otpId, code }) => verify(node, key, otpId, code)),
  )

const states = ['fresh', 'guessed', 'last', 'expired', 'approved', 'failed', 'inbound', 'unknown'] as const
const guesses = ['right', 'right', 'wrong', 'wrong', 'long', 'foreign', 'other key'] as const
const keys = ['serverKey', 'publishableKey'] as const

interface Case {
  readonly state: (typeof states)[number]
  readonly guess: (typeof guesses)[number]
  readonly key: (typeof keys)[number]
  /** Cases with the same number share a recipient, whose wrong codes are counted in one row. */
  readonly recipient: number
  readonly address: number
}

/** The same cases for the same seed. */
function casesOf(seed: number, count: number): Case[] {
  let state = seed
  const below = (end: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * end)
  }
  const oneOf = <Value>(values: readonly Value[]) => values[below(values.length)] as Value
  return Array.from({ length: count }, () => ({
    state: oneOf(states),
    guess: oneOf(guesses),
    key: oneOf(keys),
    recipient: below(8),
    address: below(4),
  }))
}

interface Ready {
  readonly otpId: string
  readonly code: string
  readonly key: string
}

async function prepare(cases: readonly Case[], tenants: readonly Tenant[]): Promise<Ready[]> {
  const foreign = await createTenant(node)
  const recipients = Array.from({ length: 8 }, () => freshPhone())
  return Promise.all(
    cases.map(async (each, index) => {
      const tenant = tenants[index % tenants.length] as Tenant
      const { otpId, code } = await started(tenant.serverKey, recipients[each.recipient], {
        client_ip: `81.2.69.${each.address}`,
      })
      await bring(each, tenant, otpId, code)
      const kind = each.key === 'serverKey' ? 'server' : 'publishable'
      const key =
        each.guess === 'foreign'
          ? foreign.serverKey
          : each.guess === 'other key'
            ? await createKey(node, tenant.appId, kind)
            : tenant[each.key]
      return {
        otpId: each.state === 'unknown' ? otpId.replace(/.$/, (last) => (last === '0' ? '1' : '0')) : otpId,
        code: { wrong: wrongCode(code), long: `${code}0` }[each.guess as string] ?? code,
        key,
      }
    }),
  )
}

async function bring({ state, key }: Case, tenant: Tenant, otpId: string, code: string): Promise<void> {
  const wrongs = { guessed: 2, last: 4, failed: 5 }[state as string] ?? 0
  for (let count = 0; count < wrongs; count++) await verify(node, tenant.serverKey, otpId, wrongCode(code))
  if (state === 'approved') await verify(node, tenant[key], otpId, code)
  if (state === 'expired')
    await database.query('update verifications set expires_at = now() where otp_id = $1', [otpId])
  if (state === 'inbound')
    await database.query(
      "update verifications set channel = 'whatsapp', link_mode = 'link_inbound' where otp_id = $1",
      [otpId],
    )
}

/** Without what differs each time. */
const comparable = ({ status, body }: Answer) => ({
  status,
  body: {
    ...body,
    request_id: typeof body.request_id,
    otp_id: typeof body.otp_id,
    verified_at: typeof body.verified_at,
    verification_token: typeof body.verification_token,
    error: body.error && { type: body.error.type, details: body.error.details },
  },
})

async function rowsOf(tenants: readonly Tenant[], ready: readonly Ready[]): Promise<unknown> {
  const ids = ready.map(({ otpId }) => otpId)
  const companies = tenants.map(({ companyId }) => companyId)
  const verifications = await database.query<{ otp_id: string }>(
    `select v.otp_id, v.status, v.attempts, cardinality(v.guessed_at) as guessed, v.verified_at is not null as is_verified,
            k.kind as approved_by, v.event_id is not null as has_event, v.event_id = any(array_agg(e.event_id)) as is_its_event,
            v.replay_until - v.verified_at as replayable, array_agg(e.type order by e.event_id) as types, array_agg(e.status) as waiting,
            array_agg(e.body::json -> 'payload' ->> 'status') as told,
            (select count(*)::integer from tokens t where t.otp_id = v.otp_id) as tokens
       from verifications v left join keys k on k.key_id = v.approved_by left join events e on e.otp_id = v.otp_id and e.type like 'otp.%'
      where v.otp_id = any($1) group by v.company_id, v.app_id, v.otp_id, k.kind, v.event_id, v.status, v.attempts, v.guessed_at, v.verified_at, v.replay_until`,
    [ids],
  )
  const limits = await database.query(
    `select split_part(convert_from(substr(limit_key, 1, 8), 'UTF8'), ':', 1) as name, cardinality(state) as size from limits
      where company_id = any($1) and (limit_key like 'failures:%'::bytea or limit_key like 'ip:%'::bytea) order by 1, 2`,
    [companies],
  )
  const byId = new Map(verifications.map(({ otp_id, ...row }) => [otp_id, row]))
  return { verifications: ids.map((id) => byId.get(id) ?? null), limits }
}

/** So few that each send is stored with its own time. */
const counted = { limits: { ip: [{ max: 200, window_s: 3_600 }] } }

async function createCompanies(): Promise<Tenant[]> {
  const first = await createTenant(node, counted)
  return [first, await createApp(node, first.companyId, counted), await createTenant(node, counted)]
}

describe('guesses in a batch', () => {
  for (const seed of [1, 2]) {
    it(`are answered and leave rows as one by one, over apps and companies (seed ${seed})`, async () => {
      const cases = casesOf(seed, 40)
      const [alone, together] = [await createCompanies(), await createCompanies()]
      const aloneReady = await prepare(cases, alone)
      const togetherReady = await prepare(cases, together)
      const aloneAnswers: Answer[] = []
      for (const { key, otpId, code } of aloneReady) aloneAnswers.push(await verify(node, key, otpId, code))
      const before = judgements
      const togetherAnswers = await verifyWhileHeld(togetherReady)
      assert.ok(judgements - before <= mostJudgements, `${judgements - before} statements`)
      for (const [index, each] of cases.entries()) {
        assert.deepEqual(
          comparable(togetherAnswers[index] as Answer),
          comparable(aloneAnswers[index] as Answer),
          JSON.stringify(each),
        )
      }
      assert.deepEqual(await rowsOf(together, togetherReady), await rowsOf(alone, aloneReady))
    })
  }

  it('do not wait for a verification that somebody has locked, and that one is judged once it is free', async () => {
    const tenant = await createTenant(node)
    const [held, ...others] = await Promise.all(Array.from({ length: 10 }, () => started(tenant.serverKey)))
    assert.ok(held)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('begin')
    await client.query('select 1 from verifications where otp_id = $1 for update', [held.otpId])
    const waiting = verify(node, tenant.serverKey, held.otpId, held.code)
    const answers = await Promise.all(
      others.map(({ otpId, code }) => verify(node, tenant.serverKey, otpId, code)),
    )
    assert.deepEqual(
      answers.map(({ body }) => body.matched),
      others.map(() => true),
    )
    await client.query('rollback')
    await client.end()
    assert.equal((await waiting).body.matched, true)
  })

  it('fail alone where one of them breaks the statement', async () => {
    const tenant = await createTenant(node)
    const ready = await Promise.all(Array.from({ length: 6 }, () => started(tenant.serverKey)))
    const poison = ready[3]
    assert.ok(poison)
    await database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin
         if new.otp_id = '${poison.otpId}' then raise exception 'poison'; end if; return new; end $$`,
    )
    await database.query(
      'create trigger refuse before insert on tokens for each row execute function refuse()',
    )
    try {
      const answers = await verifyWhileHeld(ready.map((each) => ({ ...each, key: tenant.publishableKey })))
      for (const [index, { status }] of answers.entries())
        assert.equal(status, ready[index] === poison ? 500 : 200)
      assert.deepEqual(await eventTypes(database, poison.otpId), [])
      assert.equal(await attemptsSpent(database, poison.otpId), 0)
    } finally {
      await database.query('drop trigger refuse on tokens')
    }
    const again = await verify(node, tenant.publishableKey, poison.otpId, poison.code)
    assert.equal(again.body.matched, true)
  })

  it('of fifty companies are no more statements than those of one', async () => {
    const run = async (tenants: readonly Tenant[]) => {
      const ready = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const { serverKey } = tenants[index % tenants.length] as Tenant
          return { ...(await started(serverKey)), key: serverKey }
        }),
      )
      const before = judgements
      const answers = await verifyWhileHeld(ready)
      assert.ok(answers.every(({ body }) => body.matched))
      assert.ok(judgements - before <= mostJudgements, `${judgements - before} statements`)
    }
    await run([await createTenant(node)])
    await run(await Promise.all(Array.from({ length: 50 }, () => createTenant(node))))
  })

  it('from one address are all given back to it', async () => {
    const tenant = await createTenant(node, counted)
    const ready = await Promise.all(
      Array.from({ length: 8 }, () => started(tenant.serverKey, freshPhone(), { client_ip: '81.2.69.9' })),
    )
    const sizeOf = async () => {
      const [row] = await database.query<{ size: number }>(
        `select cardinality(state) as size from limits where company_id = $1 and limit_key like 'ip:%'::bytea`,
        [tenant.companyId],
      )
      return row?.size
    }
    assert.equal(await sizeOf(), 8)
    await verifyWhileHeld(ready.slice(0, 6).map((each) => ({ ...each, key: tenant.serverKey })))
    assert.equal(await sizeOf(), 2)
  })
})
