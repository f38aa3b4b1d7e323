/** Whom the guard against pumping held back, and who of them was approved since. */
import type { Tenant } from '../../platform/database.ts'
import { type AppId, lowestId } from '../../platform/ids.ts'
import type { CountRange } from './refusal-store.ts'

/** Refusals that are looked at; the person of each is looked up in every day since. */
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
  const { fromMs, toMs, span } = range
  const found = await tenant.query<Row>({
    text: `
      with looked as materialized (
        select recipient_hash, created_at from refusals
         where company_id = $1 and app_id = $2 and rule = 'pumping' and refusal_id >= $3 and refusal_id < $4
         order by refusal_id desc limit ${mostLookedAt}
      ), person as materialized (
        select recipient_hash, min(created_at) as held_at from looked where recipient_hash is not null group by recipient_hash
      )
      select (select coalesce(sum(count), 0)::bigint from refusal_counts
               where company_id = $1 and app_id = $2 and span = $6 and starts_at >= $7 and starts_at < $8
                 and rule = 'pumping') as held_sends,
             (select count(*)::integer from looked) as looked_at, count(*)::integer as people,
             count(approved.is_later)::integer as approved_later
        from person
        left join lateral (
          select true as is_later from verifications v
           where v.company_id = $1 and v.recipient_hash = person.recipient_hash and v.otp_id >= $5 and v.app_id = $2
             and v.status = 'approved' and v.verified_at >= person.held_at limit 1) approved on true`,
    values: [
      appId,
      lowestId('refusal', fromMs),
      lowestId('refusal', toMs),
      lowestId('verification', fromMs - longestPendingMs),
      span,
      new Date(fromMs),
      new Date(toMs),
    ],
  })
  const { held_sends = 0n, looked_at = 0, people = 0, approved_later = 0 } = found.rows[0] ?? {}
  const heldSends = Number(held_sends)
  return { heldSends, people, approvedLater: approved_later, isComplete: looked_at >= heldSends }
}
