/**
 * Makes days of the past from rows that the service has written itself. The table of each day is filled alone and then
 * attached, so that its indexes are built once and not row by row.
 */

import { lowestId } from '../../server/src/platform/ids.ts'
import { dayMs, startOfDay } from '../../server/src/platform/partitions.ts'
import { query } from '../measuring/stage.ts'
import { until } from '../scenario.ts'

/**
 * For each table: the column by which it is partitioned, what else must differ from row to row, and which row to copy.
 * It must be a finished one, or the service would start to work on millions of copies.
 */
const tables = [
  {
    name: 'verifications',
    kind: 'verification',
    key: 'otp_id',
    others: { recipient_hash: 'sha256(n::text::bytea)' },
    isFinished: `status = 'approved'`,
  },
  {
    name: 'deliveries',
    kind: 'delivery',
    key: 'delivery_id',
    others: { message_hash: 'sha256(n::text::bytea)' },
    isFinished: `status in ('sent', 'delivered')`,
  },
  { name: 'events', kind: 'event', key: 'event_id', others: {}, isFinished: `status = 'delivered'` },
  { name: 'decisions', kind: 'decision', key: 'decision_id', others: {}, isFinished: 'true' },
] as const
type Table = (typeof tables)[number]

/** One after the other they would leave a core idle. */
const atOnce = 2
/** No further table is started after this time. A verify and a receipt read the first two, so those come first. */
const limitMs = 240_000
const idTimeLength = 10
const finishedMs = 30_000

export async function makeOldDays(
  url: string,
  {
    count,
    days,
    say,
  }: { readonly count: number; readonly days: number; readonly say: (line: string) => void },
): Promise<string> {
  const startMs = performance.now()
  const made: string[] = []
  for (const table of tables) {
    if (performance.now() - startMs > limitMs) break
    await waitForOne(url, table)
    const work = Array.from({ length: days }, (_, index) => startOfDay(Date.now()) - (index + 2) * dayMs)
    const rows = Math.ceil(count / days)
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let day = work.pop(); day !== undefined; day = work.pop()) await makeDay(url, table, day, rows)
      }),
    )
    await query(url, `analyze ${table.name}`)
    made.push(table.name)
    say(`${table.name} of ${days} days: ${Math.round((performance.now() - startMs) / 1_000)} s`)
  }
  return `${count.toLocaleString('en-US')} each of ${made.join(', ')}`
}

async function makeDay(
  url: string,
  { name, kind, key, others, isFinished }: Table,
  dayStart: number,
  rows: number,
) {
  const day = `${name}_${new Date(dayStart).toISOString().slice(0, 10).replaceAll('-', '')}`
  const [from, to] = [lowestId(kind, dayStart), lowestId(kind, dayStart + dayMs)]
  const time = from.slice(0, from.indexOf('_') + 1 + idTimeLength)
  const changed: Readonly<Record<string, string>> = {
    [key]: `'${time}' || substr(md5('${day}' || n), 1, 16)`,
    ...others,
  }
  const columns = await query<{ column_name: string }>(
    url,
    `select column_name from information_schema.columns where table_name = '${name}' order by ordinal_position`,
  )
  const values = columns.map(({ column_name }) => changed[column_name] ?? `one.${column_name}`)
  await query(
    url,
    `create table ${day} (like ${name} including defaults including constraints);
     insert into ${day} select ${values.join(', ')} from (select * from ${name} where ${isFinished} limit 1) one, generate_series(1, ${rows}) n;
     alter table ${day} add constraint of_day check (${key} >= '${from}' and ${key} < '${to}');
     alter table ${name} attach partition ${day} for values from ('${from}') to ('${to}');
     alter table ${day} drop constraint of_day`,
  )
}

async function waitForOne(url: string, { name, isFinished }: Table): Promise<void> {
  const find = async () => (await query(url, `select 1 from ${name} where ${isFinished} limit 1`)).length > 0
  if (!(await until(find, finishedMs))) throw new Error(`none of the ${name} is finished`)
}
