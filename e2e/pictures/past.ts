/**
 * A picture of one minute says little of a chart over days: a week of figures is put where upkeep would have put it, and
 * what the guard remembers of the attack is moved to earlier hours.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { RunningService } from '../harness/process.ts'
import type { Story } from './story.ts'

/** PostgreSQL writes its port there: https://www.postgresql.org/docs/18/storage-file-layout.html. */
const lineOfPort = 3

async function connect({ dataDir }: RunningService): Promise<pg.Client> {
  const lines = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim()
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(lines[lineOfPort]),
    user: 'countersign',
    database: 'countersign',
    password,
  })
  await client.connect()
  return client
}

export async function addPast(running: RunningService, { companyId, appId }: Story): Promise<void> {
  const client = await connect(running)
  try {
    await client.query(
      `insert into figures
       select app.company_id, app.app_id, span.name, date_trunc(span.name, now(), 'UTC') - n * span.step, channel, country,
              sends, sends, sends - sends / 40, sends / 40, approvals, sends * price, array[66, 70, 74]::smallint[],
              array[approvals / 3, approvals / 3, approvals / 3], now() + interval '90 days'
         from (select *, row_number() over (order by app_id desc) as place from apps
                where name in ('Harbour', 'Quay Ferries', 'Pier Bikes', 'Lantern Tickets')) app
        cross join (values ('hour', interval '1 hour', 24, 12.0), ('day', interval '1 day', 29, 1.0)) span (name, step, many, part)
        cross join lateral generate_series(1, span.many) n
        cross join (values ('sms', 'GB', 400, 40000), ('sms', 'DE', 240, 70000), ('whatsapp', 'BR', 170, 30000), ('email', 'none', 130, 1000))
                   kind (channel, country, most, price)
        cross join lateral (select (most * (0.7 + 0.3 * sin(n * 1.3 + price)) / span.part / app.place)::integer as sends) drawn
        cross join lateral (select (sends * (0.78 + 0.05 * sin(n)))::integer as approvals) typed`,
    )
    await client.query(
      `insert into way_figures
       select company_id, app_id, span, starts_at, way, key, sum(sends), sum(messages), sum(delivered), sum(failed), sum(approvals),
              sum(cost_micros), expires_at
         from figures cross join lateral (values ('channel_started', channel), ('provider', 'simulator-' || channel)) way (way, key)
        group by company_id, app_id, span, starts_at, way, key, expires_at`,
    )
    await client.query(`update companies set created_at = now() - interval '60 days'`)
    // As an attack goes: it finds a place, is stopped, and goes on asking for a while.
    await client.query(
      `insert into pumping_history
       select company_id, app_id, since - n * interval '5 minutes', place, level, label,
              threshold * least(1.05, 0.1 + 0.04 * (32 - n)), threshold,
              case when n < 8 then held * (9 - n) / 5 else 0 end, 0, expires_at
         from pumping_history cross join generate_series(1, 32) n
        where company_id = $1 and app_id = $2 and since = (select max(since) from pumping_history where company_id = $1)`,
      [companyId, appId],
    )
  } finally {
    await client.end()
  }
}
