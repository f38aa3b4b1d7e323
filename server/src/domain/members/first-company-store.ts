import type { Queryable } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { ownCompanyId } from '../tenancy/index.ts'

/** Finds the first company besides the installation's own. `isSetUp`: somebody can sign in as an operator. */
export async function findFirstCompany(
  queryable: Queryable,
): Promise<{ readonly companyId: CompanyId; readonly isSetUp: boolean } | undefined> {
  const found = await queryable.query<{ company_id: CompanyId; is_set_up: boolean }>({
    text: `select company_id, exists (select 1 from people where is_operator) as is_set_up
             from companies where company_id <> $1 order by company_id limit 1 /* every company: is there any yet */`,
    values: [ownCompanyId],
  })
  const row = found.rows[0]
  return row && { companyId: row.company_id, isSetUp: row.is_set_up }
}
