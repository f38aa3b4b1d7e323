/** Deliveries that a worker holds according to the table, whether it has them in hand or not. */
import { bulkOf } from '../../platform/bulk.ts'
import type { Queryable } from '../../platform/database.ts'
import {
  boundsOf,
  type DueRow,
  dueOf,
  found,
  isOpen,
  type Span,
  staleness,
  take,
  valuesOf,
} from './claim-statement.ts'
import type { DueDelivery } from './delivery.ts'

/** A delivery that a worker holds according to the table, at one attempt. */
export interface Stray
  extends Pick<DueDelivery, 'companyId' | 'appId' | 'otpId' | 'deliveryId' | 'attempt'> {}

const heldRows = bulkOf<Stray>(
  {
    company_id: ['text', (row) => row.companyId],
    app_id: ['text', (row) => row.appId],
    otp_id: ['text', (row) => row.otpId],
    delivery_id: ['text', (row) => row.deliveryId],
    attempt: ['integer', (row) => row.attempt],
  },
  6,
)

/**
 * Deliveries that this worker holds according to the table, with a lease that ends after `sinceMs`, and does not have
 * in hand, because the answer to a claim or a commit never came. They are only listed, since one that is being accepted
 * right now may be among them and is in hand a moment later.
 */
export async function listStrays(
  queryable: Queryable,
  look: {
    readonly workerId: string
    readonly span: Span
    readonly limit: number
    readonly held: readonly string[]
    readonly sinceMs: number
  },
): Promise<Stray[]> {
  const [from, to] = boundsOf(look.span)
  const listed = await queryable.query<
    Pick<DueRow, 'company_id' | 'app_id' | 'otp_id' | 'delivery_id' | 'attempt'>
  >({
    text: `/* every company: what a worker holds may be of any of them */
           select d.company_id, d.app_id, d.otp_id, d.delivery_id, d.attempt from deliveries d
            where d.held_by = $1 and d.next_attempt_at >= $6 and not d.delivery_id = any($5) and ${isOpen}
            limit $4`,
    values: [look.workerId, from, to, look.limit, look.held, new Date(look.sinceMs)],
  })
  return listed.rows.map((row) => ({
    companyId: row.company_id,
    appId: row.app_id,
    otpId: row.otp_id,
    deliveryId: row.delivery_id,
    attempt: row.attempt,
  }))
}

/** Takes the strays that have not changed since. Nothing was done with them, and nobody else may take them. */
export async function takeStrays(
  queryable: Queryable,
  { workerId, span }: { readonly workerId: string; readonly span: Span },
  strays: readonly Stray[],
): Promise<DueDelivery[]> {
  const taken = await queryable.query<DueRow>({
    text: take(
      'what a worker holds may be of any of them',
      `due as (
         select ${found(false)} from ${heldRows.lookedUp}
           join deliveries d on d.company_id = row.company_id and d.app_id = row.app_id and d.otp_id = row.otp_id
            and d.delivery_id = row.delivery_id and d.attempt = row.attempt
          where d.held_by = $1 and ${isOpen}
          for update of d skip locked
       )`,
    ),
    values: [...valuesOf(workerId, span), ...heldRows.values(strays)],
  })
  return taken.rows.map(dueOf)
}

/** Reads again what this worker has in hand; deliveries that it no longer holds are left out. */
export async function readHeld(
  queryable: Queryable,
  { workerId, span }: { readonly workerId: string; readonly span: Span },
  dues: readonly DueDelivery[],
): Promise<Map<string, DueDelivery>> {
  type Row = Pick<DueRow, 'delivery_id' | 'recipient' | 'stale_reason' | 'ttl_s'>
  const read = await queryable.query<Row>({
    text: `/* every company: what a worker has in hand may be of any of them */
           select d.delivery_id, v.recipient, ${staleness}
             from ${heldRows.lookedUp}
             join deliveries d on d.company_id = row.company_id and d.app_id = row.app_id and d.otp_id = row.otp_id
              and d.delivery_id = row.delivery_id and d.delivery_id >= $2 and d.delivery_id < $3
             left join lateral (
               select * from verifications v
                where v.company_id = d.company_id and v.app_id = d.app_id and v.otp_id = d.otp_id and v.otp_id >= $4 and v.otp_id < $5
                limit 1) v on true
            where d.held_by = $1 and d.attempt = row.attempt and d.status = 'queued'`,
    values: [...valuesOf(workerId, span), ...heldRows.values(dues)],
  })
  const rows = new Map(read.rows.map((row) => [row.delivery_id, row]))
  return new Map(
    dues.flatMap((due) => {
      const row = rows.get(due.deliveryId)
      if (!row) return []
      const { recipient, stale_reason: staleReason, ttl_s: ttlSeconds } = row
      return [[due.deliveryId, { ...due, recipient, staleReason, ttlSeconds }]]
    }),
  )
}
