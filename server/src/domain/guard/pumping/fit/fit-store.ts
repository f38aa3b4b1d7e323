/** An app's fit as it is stored. */
import { type Tenant, timeNow } from '../../../../platform/database.ts'
import type { AppId } from '../../../../platform/ids.ts'
import { fitRow } from '../place.ts'

export interface FoundFit {
  /** The text that `fit-text.ts` writes. */
  readonly text: string
  readonly nowMs: number
  /** Messages of the last days that the guard would have held back if it did more than watch. */
  readonly watched: number
}

export async function findFit(tenant: Tenant, appId: AppId): Promise<FoundFit | undefined> {
  const found = await tenant.query<{ state: string; now_ms: bigint; watched: number }>({
    text: `select state, (extract(epoch from ${timeNow}) * 1000)::bigint as now_ms,
                  (select coalesce(sum(h.watched), 0) from pumping_history h where h.company_id = $1 and h.app_id = $2)::integer as watched
             from pumping_states where company_id = $1 and app_id = $2 and row_key = $3`,
    values: [appId, fitRow],
  })
  const row = found.rows[0]
  return row && { text: row.state, nowMs: Number(row.now_ms), watched: row.watched }
}
