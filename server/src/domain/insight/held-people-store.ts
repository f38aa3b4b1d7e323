/** Recipients whom the guard against pumping held back, and which of them were approved since. */
import { type Queryable, type Tenant, timeNow } from '../../platform/database.ts'
import { type AppId, type CompanyId, lowestId } from '../../platform/ids.ts'
import { type Refused, type RefusedTime, wideLevels } from '../guard/index.ts'
import type { AppRef } from '../tenancy/index.ts'
import type { CountRange } from './refusal-store.ts'

/** The most refusals that are looked at: the person of each is looked up in every day since. */
const mostLookedAt = 2_000
/** A verification that was begun before its resend was held back may be approved after it. */
const longestPendingMs = 48 * 3_600_000

export interface HeldPeople {
  readonly heldSends: number
  readonly people: number
  readonly approvedLater: number
  /** Whether each of the sends has been looked at by itself. */
  readonly isComplete: boolean
}

const looked = (columns: string) => `looked as materialized (
        select ${columns} from refusals
         where company_id = $1 and app_id = $2 and rule = 'pumping' and refusal_id >= $3 and refusal_id < $4
         order by refusal_id desc limit ${mostLookedAt})`

const countedSends = `(select coalesce(sum(count), 0)::bigint from refusal_counts
               where company_id = $1 and app_id = $2 and span = $6 and starts_at >= $7 and starts_at < $8
                 and rule = 'pumping')`

const valuesOf = (appId: AppId, { fromMs, toMs, span }: CountRange) => [
  appId,
  lowestId('refusal', fromMs),
  lowestId('refusal', toMs),
  lowestId('verification', fromMs - longestPendingMs),
  span,
  new Date(fromMs),
  new Date(toMs),
]

interface Row {
  held_sends: bigint
  looked_at: number
  people: number
  approved_later: number
}

/**
 * One statement, so that the rows and their count are from the same moment: if there are fewer rows than sends, some were
 * not looked at, share a row, or have expired.
 */
export async function readHeld(tenant: Tenant, appId: AppId, range: CountRange): Promise<HeldPeople> {
  const found = await tenant.query<Row>({
    text: `
      with ${looked('recipient_hash, created_at')}, person as materialized (
        select recipient_hash, min(created_at) as held_at from looked where recipient_hash is not null group by recipient_hash
      )
      select ${countedSends} as held_sends,
             (select count(*)::integer from looked) as looked_at, count(*)::integer as people,
             count(approved.is_later)::integer as approved_later
        from person
        left join lateral (
          select true as is_later from verifications v
           where v.company_id = $1 and v.recipient_hash = person.recipient_hash and v.otp_id >= $5 and v.app_id = $2
             and v.status = 'approved' and v.verified_at >= person.held_at limit 1) approved on true`,
    values: valuesOf(appId, range),
  })
  const { held_sends = 0n, looked_at = 0, people = 0, approved_later = 0 } = found.rows[0] ?? {}
  const heldSends = Number(held_sends)
  return { heldSends, people, approvedLater: approved_later, isComplete: looked_at >= heldSends }
}

/** The most verifications of one person that are looked at, newest first: enough to see what share is used. */
const mostOfPerson = 20

interface RefusedRow {
  held_sends: bigint
  looked_at: number
  people: number
  approved_later: number
  used: number
}

/**
 * The people who were refused because a wide place was closed, and what share of codes each has used since. A code of a
 * verification that was begun before counts only if it was used.
 */
export async function readRefused(tenant: Tenant, appId: AppId, time: RefusedTime): Promise<Refused> {
  const found = await tenant.query<RefusedRow>({
    name: 'read-refused',
    text: `
      with ${looked(`recipient_hash, created_at, facts ->> 'level' as level`)}, person as materialized (
        select recipient_hash, min(created_at) as held_at from looked
         where recipient_hash is not null and level = any($9) group by recipient_hash
      )
      select ${countedSends} as held_sends,
             (select count(*)::integer from looked where recipient_hash is not null) as looked_at,
             count(*)::integer as people, (count(*) filter (where since.used > 0))::integer as approved_later,
             coalesce(sum(since.used), 0)::float8 as used
        from person
       cross join lateral (
         select coalesce(avg((status = 'approved')::integer), 0) as used
           from (select v.status from verifications v
                  where v.company_id = $1 and v.recipient_hash = person.recipient_hash and v.otp_id >= $5 and v.app_id = $2
                    and case when v.status = 'approved' then v.verified_at else v.created_at end >= person.held_at
                  order by v.otp_id desc limit ${mostOfPerson}) code) since`,
    values: [...valuesOf(appId, { ...time, span: 'hour' }), wideLevels],
  })
  const row = found.rows[0]
  if (!row) return { people: 0, approvedLater: 0, used: 0, unseen: 0 }
  const unseen = Math.max(0, Number(row.held_sends) - row.looked_at)
  return { people: row.people, approvedLater: row.approved_later, used: row.used, unseen }
}

export interface RefusingApp extends AppRef {
  /** How many sends the guard has refused in the last day. */
  readonly refused: number
}

/** A page of apps, in the order of their keys. */
export async function listRefusing(
  queryable: Queryable,
  after: AppRef | null,
  limit: number,
): Promise<RefusingApp[]> {
  const found = await queryable.query<{ company_id: CompanyId; app_id: AppId; refused: bigint }>({
    name: 'list-refusing',
    text: `
      select a.company_id, a.app_id, held.refused /* every company: upkeep asks of each app whether its guard fits */
        from (select company_id, app_id from apps
               where deleted_at is null and (company_id, app_id) > ($1, $2) order by company_id, app_id limit $3) a
       cross join lateral (
         select coalesce(sum(c.count), 0)::bigint as refused from refusal_counts c
          where c.company_id = a.company_id and c.app_id = a.app_id and c.span = 'hour' and c.rule = 'pumping'
            and c.starts_at > ${timeNow} - interval '1 day') held
       order by a.company_id, a.app_id`,
    values: [after?.companyId ?? '', after?.appId ?? '', limit],
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    appId: row.app_id,
    refused: Number(row.refused),
  }))
}
