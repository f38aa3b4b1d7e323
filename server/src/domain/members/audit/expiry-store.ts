/** Finds and deletes the oldest rows of the audit trail, once they have expired. */
import { type Queryable, timeNow } from '../../../platform/database.ts'
import type { Chain, ChainId } from './store.ts'

/** Chains of all companies whose oldest rows have expired. */
export async function findExpiredChains(queryable: Queryable, limit: number): Promise<ChainId[]> {
  const found = await queryable.query<{ company_id: ChainId }>({
    text: `select distinct company_id from
             (select company_id from audit_entries /* every company: upkeep */ where expires_at < ${timeNow} order by expires_at limit $1) expired`,
    values: [limit],
  })
  return found.rows.map((row) => row.company_id)
}

/** The last of the oldest rows that have expired without a gap: the rows that stay must begin right after it. */
export async function findLastExpired(
  tenant: Chain,
  limit: number,
): Promise<{ readonly position: bigint; readonly mac: Buffer } | undefined> {
  const found = await tenant.query<{ position: bigint; mac: Buffer }>({
    text: `with oldest as (
             select position, mac, expires_at < ${timeNow} as is_over from audit_entries
              where company_id = $1 order by position limit $2)
           select position, mac from oldest
            where position < coalesce((select min(position) from oldest where not is_over), position + 1)
            order by position desc limit 1`,
    values: [limit],
  })
  return found.rows[0]
}

export async function deleteThrough(
  tenant: Chain,
  anchor: { readonly position: bigint; readonly mac: Buffer; readonly seal: Buffer },
): Promise<number> {
  await tenant.query({
    text: `update audit_chains set anchor_position = $2, anchor_mac = $3, anchor_seal = $4 where company_id = $1`,
    values: [anchor.position, anchor.mac, anchor.seal],
  })
  const deleted = await tenant.query({
    text: 'delete from audit_entries where company_id = $1 and position <= $2',
    values: [anchor.position],
  })
  return deleted.rowCount ?? 0
}
