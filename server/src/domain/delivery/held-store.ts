/** What a worker holds by the table, whether it has it in hand or not. */
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

/** A delivery that a worker holds by the table, at one attempt. */
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
 * What this worker holds by the table and does not have in hand, held since then: of a claim or a commit whose answer
 * never came. Only listed: one that is being accepted at this moment may be among them, and is in hand when this is heard.
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

/** Takes those of them that are as they were. Nothing was done with them, and nobody else may take them. */
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

/** How things stand now with what this worker has in hand; nothing for what it does not hold any more. */
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
