import { bulkOf } from '../../../platform/bulk.ts'
import { correctedMs } from '../../../platform/clock.ts'
import { type Queryable, type Tenant, timeNow } from '../../../platform/database.ts'
import type { AppId, CompanyId } from '../../../platform/ids.ts'
import { type AppRef, isOfLivingApp } from '../../tenancy/index.ts'
import type { AppGuesses } from './guesses.ts'
import { alarmFailures, type GuessCount, usualDays, windowSeconds } from './guessing.ts'

const keyOf = ({ companyId, appId }: AppRef) => `${companyId} ${appId}`

const ofApps = {
  company_id: ['text', (row: AppRef) => row.companyId],
  app_id: ['text', (row: AppRef) => row.appId],
} as const
const judged = bulkOf<AppGuesses>(
  { ...ofApps, guesses: ['bigint', (row) => row.guesses], failures: ['bigint', (row) => row.failures] },
  1,
)
const suspected = bulkOf<AppRef>(ofApps, 1)

/** Sorted, so that two nodes that write at once wait for each other instead of deadlocking. */
export async function addGuesses(queryable: Queryable, counts: readonly AppGuesses[]): Promise<void> {
  const sorted = [...counts].sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1))
  await queryable.query({
    name: 'add-guesses',
    text: `
      insert into guess_counts as stored (company_id, app_id, since, guesses, failures, expires_at)
      select company_id, app_id, part.since, guesses, failures, part.since + interval '${usualDays + 1} days'
        from (select date_bin('5 minutes', clock_timestamp(), 'epoch') as since) part,
             ${judged.source}
             /* every company: what a node has judged in a second, of all its apps */
       where ${isOfLivingApp()}
      on conflict (company_id, app_id, since) do update
         set guesses = stored.guesses + excluded.guesses, failures = stored.failures + excluded.failures`,
    values: judged.values(sorted),
  })
}

/** What is dated later was written by a clock that has been put right. */
const latest = `${timeNow} + ${correctedMs} * interval '1 ms'`
const windowStart = `${timeNow} - ${windowSeconds} * interval '1 second'`
const sums = 'coalesce(sum(guesses), 0)::bigint as guesses, coalesce(sum(failures), 0)::bigint as failures'

/** Which of these apps have had enough wrong codes in the window for an alarm, whatever their share. */
export async function findSuspects(queryable: Queryable, apps: readonly AppRef[]): Promise<AppRef[]> {
  const found = await queryable.query<AppRow>({
    name: 'find-guess-suspects',
    text: `select c.company_id, c.app_id /* every company: of the apps that this node has just judged for */
             from ${suspected.source}
             join guess_counts c on c.company_id = row.company_id and c.app_id = row.app_id
            where c.since > ${windowStart} and c.since <= ${latest}
            group by c.company_id, c.app_id having sum(c.failures) >= ${alarmFailures}`,
    values: suspected.values(apps),
  })
  return found.rows.map(appOf)
}

interface AppRow {
  company_id: CompanyId
  app_id: AppId
}
const appOf = (row: AppRow): AppRef => ({ companyId: row.company_id, appId: row.app_id })

export async function readGuesses(
  tenant: Tenant,
  appId: AppId,
): Promise<{ recent: GuessCount; before: GuessCount }> {
  const found = await tenant.query<{ is_recent: boolean; guesses: bigint; failures: bigint }>({
    name: 'read-guesses',
    text: `select true as is_recent, ${sums} from guess_counts where company_id = $1 and app_id = $2 and since > ${windowStart} and since <= ${latest}
            union all
           select false, ${sums} from guess_counts
            where company_id = $1 and app_id = $2 and since <= ${windowStart} and since > ${windowStart} - interval '${usualDays} days'`,
    values: [appId],
  })
  const countOf = (isRecent: boolean): GuessCount => {
    const row = found.rows.find((each) => each.is_recent === isRecent)
    return { guesses: Number(row?.guesses ?? 0n), failures: Number(row?.failures ?? 0n) }
  }
  return { recent: countOf(true), before: countOf(false) }
}

/** An alarm that is not raised again ends by itself. */
const alarmSeconds = 300
export const isAlarmOn = `expires_at > ${timeNow} and raised_at <= ${latest}`

/** True for the one call that raised the alarm; later calls only prolong it. */
export async function raiseAlarm(tenant: Tenant, appId: AppId): Promise<boolean> {
  const raised = await tenant.query<{ is_new: boolean }>({
    name: 'raise-guess-alarm',
    text: `
      insert into guess_alarms as stored (company_id, app_id, raised_at, expires_at)
      select $1, $2, time.now, time.now + ${alarmSeconds} * interval '1 second' from (select clock_timestamp() as now) time
      on conflict (company_id, app_id) do update
         set raised_at = case when stored.expires_at > excluded.raised_at and stored.raised_at <= ${latest} then stored.raised_at else excluded.raised_at end,
             expires_at = excluded.expires_at
      returning raised_at = expires_at - ${alarmSeconds} * interval '1 second' as is_new`,
    values: [appId],
  })
  return raised.rows[0]?.is_new ?? false
}

export interface Alarm {
  readonly raisedAt: Date
  readonly expiresAt: Date
}

export async function findAlarm(tenant: Tenant, appId: AppId): Promise<Alarm | undefined> {
  const found = await tenant.query<{ raised_at: Date; expires_at: Date }>({
    text: `select raised_at, expires_at from guess_alarms where company_id = $1 and app_id = $2 and ${isAlarmOn}`,
    values: [appId],
  })
  const row = found.rows[0]
  return row && { raisedAt: row.raised_at, expiresAt: row.expires_at }
}

export async function countAlarms(queryable: Queryable): Promise<number> {
  const found = await queryable.query<{ count: number }>({
    name: 'count-guess-alarms',
    text: `select count(*)::integer as count from guess_alarms /* every company: a metric of the installation */
            where ${isAlarmOn}`,
  })
  return found.rows[0]?.count ?? 0
}
