/**
 * The statements by which a worker takes deliveries that are due. A delivery that is taken names the worker that holds
 * it. Another may take it over once its lease has run out and its holder has not been heard of for as long.
 *
 * Waiting and held deliveries each have an index with nothing else in it, so that finished rows cost nothing.
 */
import { bulkOf } from '../../platform/bulk.ts'
import { type Queryable, timeNow } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { isGraceOver, livingWorkers } from '../../platform/pulse.ts'
import { boundsOf, type DueRow, dueOf, found, isOpen, type Span, take, valuesOf } from './claim-statement.ts'
import type { DueDelivery } from './delivery.ts'

export interface Line {
  readonly companyId: CompanyId
  readonly providerId: string
}

/**
 * The lines after this one: which company waits for which account. It is a walk along the index, with one step for each
 * company and account, not for each message. The statement has no name, so that it is planned at each call, for the
 * partitions that exist then.
 */
export async function listLines(
  queryable: Queryable,
  after: Line | null,
  span: Span,
  limit: number,
): Promise<(Line & { readonly isDue: boolean })[]> {
  const waiting = `${isFree} and d.delivery_id >= $3 and d.delivery_id < $4`
  const nextAfter = (companyId: string, providerId: string) => `
    select d.company_id, d.provider_id from deliveries d
     where ${waiting} and (d.company_id, d.provider_id) > (${companyId}, ${providerId})
     order by d.company_id, d.provider_id limit 1`
  const found = await queryable.query<{ company_id: CompanyId; provider_id: string; is_due: boolean }>({
    text: `
      /* every company: a worker serves all of them, each in its turn */
      with recursive walk as (
        (${nextAfter('$1', '$2')})
        union all
        select step.company_id, step.provider_id
          from walk cross join lateral (${nextAfter('walk.company_id', 'walk.provider_id')}) step
      )
      select company_id, provider_id,
             (select d.next_attempt_at <= ${timeNow} from deliveries d
               where ${waiting} and d.company_id = walk.company_id and d.provider_id = walk.provider_id
               order by d.next_attempt_at limit 1) as is_due
        from walk limit $5`,
    values: [after?.companyId ?? '', after?.providerId ?? '', ...boundsOf(span), limit],
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    providerId: row.provider_id,
    isDue: row.is_due,
  }))
}

/** The same condition as that of the index. */
const isFree = 'd.next_attempt_at is not null and d.held_by is null'

type Room = Line & { readonly room: number }

export interface Claim {
  readonly workerId: string
  readonly rooms: readonly Room[]
  readonly span: Span
}

const rooms = bulkOf<Room>(
  {
    company_id: ['text', (line) => line.companyId],
    provider_id: ['text', (line) => line.providerId],
    room: ['integer', (line) => line.room],
  },
  7,
)

/** Takes for each company and account as many as there is room for. */
export async function claimDue(
  queryable: Queryable,
  { workerId, rooms: wanted, span }: Claim,
): Promise<DueDelivery[]> {
  const claimed = await queryable.query<DueRow>({
    text: take(
      'a worker serves all of them, each has its share',
      `due as (
         select found.* from ${rooms.source}
          cross join lateral (
           select ${found(false)} from deliveries d
            where ${isFree} and ${isOpen} and d.company_id = row.company_id and d.provider_id = row.provider_id
              and d.next_attempt_at <= ${timeNow}
            order by d.next_attempt_at limit row.room for update skip locked) found
          -- The sum of the rooms cuts nothing off, but makes PostgreSQL look rows up one by one.
          limit $6
       )`,
    ),
    values: [
      ...valuesOf(workerId, span),
      wanted.reduce((sum, { room }) => sum + room, 0),
      ...rooms.values(wanted),
    ],
  })
  return claimed.rows.map(dueOf)
}

/** A name that sorts after the name of every worker. */
const lastName = '~'

/**
 * Takes over deliveries of workers that have not been heard of, once their leases are over: those that lie in the index
 * between the names of living workers. After a restart of PostgreSQL no worker takes over for a while.
 */
export async function takeOver(
  queryable: Queryable,
  { workerId, span, limit }: { readonly workerId: string; readonly span: Span; readonly limit: number },
): Promise<DueDelivery[]> {
  const taken = await queryable.query<DueRow>({
    text: take(
      'a worker that died held messages of any of them',
      `living as (
         ${livingWorkers} or worker_id = $1
       ), gap as (
         select name as after, lead(name, 1, '${lastName}') over (order by name) as before
           from (select '' as name union select worker_id from living union select $1) named
       ), due as (
         select found.* from gap cross join lateral (
           select ${found(true)} from deliveries d
            where d.held_by > gap.after and d.held_by < gap.before and d.next_attempt_at <= ${timeNow} and ${isOpen}
              and ${isGraceOver}
            limit $6 for update skip locked) found
          limit $6
       )`,
    ),
    values: [...valuesOf(workerId, span), limit],
  })
  return taken.rows.map(dueOf)
}
