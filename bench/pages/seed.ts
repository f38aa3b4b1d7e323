/**
 * Makes many verifications and refusals, and the rows that belong to them. Rows that the service has written itself are
 * copied by bulk statements and get their own ids, times, people, countries and outcomes.
 */
import pg from 'pg'
import { type IdKind, lowestId, newId } from '../../server/src/platform/ids.ts'
import { cutByDay, dayMs, startOfDay } from '../../server/src/platform/partitions.ts'
import { query } from '../measuring/stage.ts'
import { until } from '../scenario.ts'

const hourMs = 3_600_000
/** Half of the rows are spread over this many days; the other half is in the last hour. */
const days = 7
const chunk = 10_000
/** At most this many rows serve as patterns for the copies. */
const mostPatterns = 50
/** About as many places as the guard remembers of five minutes. */
const placesOfSlot = 15
/** As many errors as are kept in full of each kind. */
const errorsOfKind = 100
/** With eight countries this makes about as many places as are counted in an hour. */
const placesOfCountry = 6
const gatheredMs = 300_000

const idColumns: Readonly<Record<string, IdKind>> = {
  otp_id: 'verification',
  delivery_id: 'delivery',
  decision_id: 'decision',
  event_id: 'event',
  reserve_id: 'entry',
  capture_id: 'entry',
  refusal_id: 'refusal',
}

/** Half of the times are in the last hour, which no figures cover yet. Newest last. */
function timesOf(count: number, nowMs: number): number[] {
  const half = Math.floor(count / 2)
  const old = Array.from(
    { length: half },
    (_, index) => nowMs - days * dayMs + (index * (days * dayMs - hourMs)) / half,
  )
  const fresh = Array.from(
    { length: count - half },
    (_, index) => nowMs - hourMs + (index * hourMs) / (count - half),
  )
  return [...old, ...fresh].map(Math.floor)
}

export async function seed(
  url: string,
  {
    count,
    app,
    say,
  }: {
    readonly count: number
    readonly app: { companyId: string; appId: string }
    readonly say: (line: string) => void
  },
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rowCount ?? 0
  try {
    const nowMs = Date.now()
    await makePastDays(run, nowMs)
    await makePlan(run, timesOf(count, nowMs))
    for (const [table, copy] of Object.entries(copies)) {
      const columns = await client.query<{ column_name: string }>(
        'select column_name from information_schema.columns where table_name = $1 order by ordinal_position',
        [table],
      )
      const values = columns.rows.map(({ column_name }) => copy.changes[column_name] ?? `one.${column_name}`)
      const rows = await run(
        `insert into ${table}
         select ${values.join(', ')}
           from plan p
           join (select *, row_number() over (order by ${copy.key}) - 1 as number
                   from (select * from ${table} where company_id = $1 and ${copy.pattern} order by ${copy.key} limit ${mostPatterns}) chosen) one
             on one.number = p.n % (select least(count(*), ${mostPatterns}) from ${table} where company_id = $1 and ${copy.pattern})`,
        [app.companyId],
      )
      say(`${rows.toLocaleString('en-US')} ${table}`)
    }
    const ids = [app.companyId, app.appId]
    for (const text of sums)
      await run(text, ids.slice(0, text.includes('$2') ? 2 : text.includes('$1') ? 1 : 0))
    await run('analyze')
  } finally {
    await client.end()
  }
}

/** Waits until the service has gathered the figures of the hours that are over. */
export async function untilGathered(url: string): Promise<void> {
  const isGathered = async () =>
    (await query(url, `select 1 from figures_progress where gathered_to > now() - interval '45 minutes'`))
      .length > 0
  if (!(await until(isGathered, gatheredMs))) throw new Error('figures were not gathered in time')
}

type Run = (text: string, values?: unknown[]) => Promise<number>

async function makePastDays(run: Run, nowMs: number): Promise<void> {
  for (const [parent, kind] of Object.entries(cutByDay)) {
    for (let day = 2; day <= days; day++) {
      const start = startOfDay(nowMs) - day * dayMs
      const name = `${parent}_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`
      await run(
        `create table if not exists ${name} partition of ${parent}
         for values from ('${lowestId(kind, start)}') to ('${lowestId(kind, start + dayMs)}')`,
      )
    }
  }
}

/** A temporary table with the time of each verification and the ids of all rows that belong to it. */
async function makePlan(run: Run, times: readonly number[]): Promise<void> {
  const names = Object.keys(idColumns)
  await run(
    `create temporary table plan (n integer, at timestamptz, ${names.map((name) => `${name} text`).join(', ')})`,
  )
  for (let start = 0; start < times.length; start += chunk) {
    const part = times.slice(start, start + chunk)
    const ids = Object.values(idColumns).map((kind) => part.map((timeMs) => newId(kind, timeMs)))
    await run(
      `insert into plan select * from unnest($1::integer[], $2::timestamptz[], ${names.map((_, index) => `$${index + 3}::text[]`).join(', ')})`,
      [part.map((_, index) => start + index), part.map((timeMs) => new Date(timeMs)), ...ids],
    )
  }
  await run('create index on plan (n)')
  await run('analyze plan')
}

const country = `(array['GB', 'DE', 'FR', 'BR', 'IN', 'US', 'ES', 'NL'])[1 + p.n % 8]`
const channel = `(array['sms', 'sms', 'sms', 'whatsapp', 'telegram'])[1 + p.n % 5]`
const person = `sha256((p.n % 40000)::text::bytea)`
/** Of ten verifications one has used up its attempts, two are left pending, and seven are approved. */
const isApproved = 'p.n % 10 > 2'
const hasFailed = 'p.n % 12 = 1'

interface Copy {
  readonly key: string
  /** A condition for the rows to copy. They must be finished, or the service would start to work on the copies. */
  readonly pattern: string
  readonly changes: Readonly<Record<string, string>>
}

const copies: Readonly<Record<string, Copy>> = {
  verifications: {
    key: 'otp_id',
    pattern: `status = 'approved'`,
    changes: {
      otp_id: 'p.otp_id',
      status: `case when ${isApproved} then 'approved' when p.n % 10 = 0 then 'failed' else 'pending' end`,
      verified_at: `case when ${isApproved} then p.at + (5 + p.n % 60) * interval '1 second' end`,
      recipient_hash: person,
      country,
      channel,
      created_at: 'p.at',
      expires_at: `p.at + interval '10 minutes'`,
      resend_at: `p.at + interval '30 seconds'`,
      event_id: `case when p.n % 10 not in (1, 2) then p.event_id end`,
      approved_by: `case when ${isApproved} then 'key_x' end`,
    },
  },
  deliveries: {
    key: 'delivery_id',
    pattern: `status in ('sent', 'delivered') and next_attempt_at is null`,
    changes: {
      delivery_id: 'p.delivery_id',
      otp_id: 'p.otp_id',
      status: `case when ${hasFailed} then 'failed' else 'delivered' end`,
      error_code: `case when ${hasFailed} then (array['30003', '30005', '30006'])[1 + p.n / 12 % 3] end`,
      error_message: `case when ${hasFailed} then 'The handset cannot be reached.' end`,
      charge: `case when ${hasFailed} then 'returned' else 'captured' end`,
      message_hash: 'sha256(p.n::text::bytea)',
      country,
      channel,
      created_at: 'p.at',
      sent_at: 'p.at',
      updated_at: `p.at + interval '3 seconds'`,
      event_id: `'evt_' || substr(p.delivery_id, 5)`,
    },
  },
  decisions: {
    key: 'decision_id',
    pattern: 'true',
    changes: { decision_id: 'p.decision_id', otp_id: 'p.otp_id', created_at: 'p.at' },
  },
  events: {
    key: 'event_id',
    pattern: `status = 'delivered' and type = 'otp.approved'`,
    changes: {
      event_id: 'p.event_id',
      otp_id: 'p.otp_id',
      type: `case when ${isApproved} then 'otp.approved' else 'otp.failed' end`,
      status: `case when p.n % 100 = 7 then 'failed' else 'delivered' end`,
      attempt: `case when p.n % 100 = 7 then 9 else 1 end`,
      taken_status: `case when p.n % 100 = 7 then 503 else 200 end`,
      created_at: 'p.at',
      taken_at: 'p.at',
      next_attempt_at: 'p.at',
    },
  },
  refusals: {
    key: 'refusal_id',
    pattern: 'true',
    changes: {
      refusal_id: 'p.refusal_id',
      recipient_hash: person,
      country,
      otp_id: 'null',
      created_at: 'p.at',
    },
  },
}

/** What else belongs to the verifications: money, and counts by the hour and the day. */
const sums = [
  ...(['reserve', 'capture'] as const).map(
    (kind) => `insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id, created_at)
      select $1, p.${kind}_id, '${kind}', ${kind === 'reserve' ? '-50000' : '0'}, p.otp_id, p.delivery_id, p.at from plan p`,
  ),
  `update companies set balance_micros = (select sum(amount_micros) from ledger where company_id = $1) where company_id = $1`,
  `update figures_progress set gathered_to = date_trunc('hour', now() - interval '${days + 1} days', 'UTC')`,
  `insert into refusal_counts (company_id, app_id, span, starts_at, rule, country, level, place, count, price_micros, expires_at)
   select $1, $2, span, date_trunc(span, created_at, 'UTC'), rule, coalesce(country, ''),
          case when rule = 'pumping' then 'r10k' else '' end,
          case when rule = 'pumping' then '+' || ascii(country) || abs(hashtext(refusal_id)) % ${placesOfCountry} || 'xxxx' else '' end,
          count(*), sum(coalesce(price_micros, 0)), now() + interval '60 days'
     from refusals, unnest(array['hour', 'day']) span where company_id = $1 group by 3, 4, 5, 6, 7, 8
   on conflict (company_id, app_id, span, starts_at, rule, country, level, place) do update set count = excluded.count, price_micros = excluded.price_micros`,
  `insert into pumping_history
   select h.company_id, h.app_id, h.since - slots * interval '5 minutes', 'range:' || places || '/', h.level, h.label, 1 + slots % 7, h.threshold, slots % 40, 0, h.expires_at
     from (select * from pumping_history where company_id = $1 limit 1) h,
          generate_series(1, ${days * 288 - 1}) slots, generate_series(1, ${placesOfSlot}) places`,
  `insert into call_error_counts
   select c.company_id, c.app_id, c.starts_at - hours * interval '1 hour', c.key_id, c.endpoint, c.status, c.type, 100, c.last_at - hours * interval '1 hour', c.expires_at
     from call_error_counts c, generate_series(1, ${days * 24}) hours where c.company_id = $1`,
  `insert into call_errors
   select e.company_id, e.app_id, 'err_' || substr(p.otp_id, 5), e.key_id, e.endpoint, e.status, e.type, e.message, e.details, e.request_id, p.at, e.expires_at
     from (select *, row_number() over (order by error_id) as number from call_errors where company_id = $1) e
     join plan p on p.n % 50 = e.number and p.n < ${errorsOfKind} * 50`,
]
