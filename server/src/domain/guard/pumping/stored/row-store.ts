/** Writes one row of the guard outside a batch. */
import type { Tenant } from '../../../../platform/database.ts'

/** The caller holds the lock of the company, as a batch does. The row is kept until `keptUntilMs` at least. */
export async function rewriteRow(
  tenant: Tenant,
  { scope, rowKey }: { readonly scope: string; readonly rowKey: string },
  state: string,
  keptUntilMs: number,
): Promise<void> {
  await tenant.query({
    text: `update pumping_states set state = $4, expires_at = greatest(expires_at, $5)
            where company_id = $1 and app_id = $2 and row_key = $3`,
    values: [scope, rowKey, state, new Date(keptUntilMs)],
  })
}
