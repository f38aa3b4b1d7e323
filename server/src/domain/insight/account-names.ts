import type { Tenant } from '../../platform/database.ts'
import { operatorOwner } from '../../platform/tenant.ts'

/** As their owners call them: the company's own, and the operator's, which carry for every company. */
export async function readAccountNames(
  tenant: Tenant,
  providerIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await tenant.query<{ provider_id: string; name: string }>({
    text: `select provider_id, name from providers /* every company: of the others, the operator's alone, which carry for all */
            where company_id in ($1, '${operatorOwner}') and provider_id = any($2) and name is not null`,
    values: [providerIds],
  })
  return new Map(found.rows.map((row) => [row.provider_id, row.name]))
}
