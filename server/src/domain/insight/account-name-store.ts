import type { Queryable } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { operatorOwner } from '../../platform/tenant.ts'

/** The names of the company's own accounts, and of the operator's, which every company uses. */
export async function readAccountNames(
  queryable: Queryable,
  companyId: CompanyId,
  providerIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await Promise.all(
    ([companyId, operatorOwner] as const).map((ownerId) =>
      queryable.of(ownerId).query<{ provider_id: string; name: string }>({
        text: `select provider_id, name from providers
                where company_id = $1 and provider_id = any($2) and name is not null`,
        values: [providerIds],
      }),
    ),
  )
  return new Map(found.flatMap(({ rows }) => rows.map((row) => [row.provider_id, row.name])))
}

/** The names of accounts of any owner. */
export async function readNamesOfAll(
  queryable: Queryable,
  providerIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await queryable.query<{ provider_id: string; name: string }>({
    text: `select provider_id, name from providers /* every company: what fails is named to its owner and the operator */
            where provider_id = any($1) and name is not null`,
    values: [providerIds],
  })
  return new Map(found.rows.map((row) => [row.provider_id, row.name]))
}
