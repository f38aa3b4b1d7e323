/** When each canary runs next, on whichever node, and how its last run ended. Canaries belong to no company. */
import type { Queryable } from '../../../platform/database.ts'
import type { CanaryReport, CanaryStep } from './run-canary.ts'

const keptDays = 7
/** A canary that is overdue for longer is no longer run: it was removed from the settings, or no worker is left. */
const overdueMinutes = 10

/**
 * For the one node that is to run the canary now: when it begins, by the database's clock. A run that is further away
 * than the next one was set by a clock that has been put right.
 */
export async function claimCanary(
  queryable: Queryable,
  account: string,
  everySeconds: number,
): Promise<string | null> {
  const claimed = await queryable.query<{ begun_at: string }>({
    text: `insert into canaries as c (account, next_at, expires_at)
           values ($1, clock_timestamp() + $2 * interval '1 second', clock_timestamp() + ${keptDays} * interval '1 day')
           on conflict (account) do update set next_at = excluded.next_at, expires_at = excluded.expires_at
            where c.next_at <= clock_timestamp() or c.next_at > excluded.next_at
           returning clock_timestamp()::text as begun_at`,
    values: [account, everySeconds],
  })
  return claimed.rows[0]?.begun_at ?? null
}

/**
 * A node that stood still may come with its result after another has run the canary again; the newer result stays, but
 * not one of a clock that was ahead.
 */
export async function recordCanary(
  queryable: Queryable,
  account: string,
  begunAt: string,
  { isOk, failedStep, steps }: CanaryReport,
): Promise<void> {
  const failed = steps.find(({ ok }) => !ok)
  await queryable.query({
    text: `update canaries
              set ended_at = clock_timestamp(), failed_step = $2, detail = $3, steps = $4,
                  failing_since = case when $5 then null else coalesce(failing_since, clock_timestamp()) end
            where account = $1 and (ended_at is null or ended_at < $6::timestamptz or ended_at > clock_timestamp())`,
    values: [account, failedStep, failed?.detail ?? null, JSON.stringify(steps), isOk, begunAt],
  })
}

export interface CanaryState {
  readonly account: string
  /** Whether some node still runs it. */
  readonly isRun: boolean
  readonly endedAt: Date
  readonly failedStep: CanaryStep | null
  readonly detail: string | null
  readonly failingSince: Date | null
  readonly steps: CanaryReport['steps']
}

/** Lists only canaries that have run. */
export async function listCanaries(queryable: Queryable): Promise<CanaryState[]> {
  const found = await queryable.query<{
    account: string
    is_run: boolean
    ended_at: Date
    failed_step: CanaryStep | null
    detail: string | null
    failing_since: Date | null
    steps: CanaryReport['steps']
  }>({
    text: `select account, next_at > clock_timestamp() - interval '${overdueMinutes} minutes' as is_run, ended_at, failed_step,
                  detail, failing_since, steps from canaries
            where ended_at is not null order by account`,
  })
  return found.rows.map((row) => ({
    account: row.account,
    isRun: row.is_run,
    endedAt: row.ended_at,
    failedStep: row.failed_step,
    detail: row.detail,
    failingSince: row.failing_since,
    steps: row.steps,
  }))
}
