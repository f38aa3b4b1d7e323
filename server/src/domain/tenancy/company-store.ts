import type { Queryable, Tenant } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import type { Company } from './tenancy.ts'

interface CompanyRow {
  company_id: CompanyId
  name: string
  metered: boolean
  balance_micros: bigint
  created_at: Date
  closed_at: Date | null
}

const companyOf = (row: CompanyRow): Company => ({
  companyId: row.company_id,
  name: row.name,
  metered: row.metered,
  balanceMicros: row.balance_micros,
  createdAt: row.created_at,
  closedAt: row.closed_at,
})

export async function insertCompany(
  tenant: Tenant,
  company: { name: string; metered: boolean },
): Promise<void> {
  await tenant.query({
    text: 'insert into companies (company_id, name, metered) values ($1, $2, $3)',
    values: [company.name, company.metered],
  })
}

export async function findCompany(tenant: Tenant): Promise<Company | undefined> {
  const found = await tenant.query<CompanyRow>({
    text: 'select * from companies where company_id = $1 and closed_at is null',
  })
  return found.rows[0] && companyOf(found.rows[0])
}

/** Held while counting and inserting, so that of two calls at once the second counts what the first has made. */
export async function lockCompany(tenant: Tenant): Promise<boolean> {
  const locked = await tenant.query({
    text: 'select 1 from companies where company_id = $1 and closed_at is null for no key update',
  })
  return locked.rowCount === 1
}

/** Includes closed companies. */
export async function listCompanyIds(queryable: Queryable): Promise<CompanyId[]> {
  const found = await queryable.query<{ company_id: CompanyId }>({
    text: 'select company_id from companies /* every company: upkeep */ order by company_id',
  })
  return found.rows.map((row) => row.company_id)
}

/** Lists companies by name: those in `companyIds`, or with null all. */
export async function listCompanies(
  queryable: Queryable,
  {
    companyIds,
    isClosed,
    search,
    after,
    limit,
  }: {
    companyIds: readonly string[] | null
    isClosed: boolean
    search: string | null
    after: CompanyId | null
    limit: number
  },
): Promise<Company[]> {
  const found = await queryable.query<CompanyRow>({
    text: `select * from companies /* every company: the list of those that the caller may see */
            where ($1::text[] is null or company_id = any($1)) and (closed_at is not null) = $5
              and ($2::text is null or company_id = $2 or position(lower($2) in lower(name)) > 0)
              and ($3::text is null or (lower(name), company_id) >
                    (select lower(name), company_id from companies
                      where company_id = $3 and ($1::text[] is null or company_id = any($1))))
            order by lower(name), company_id limit $4`,
    values: [companyIds, search, after, limit, isClosed],
  })
  return found.rows.map(companyOf)
}

/** A null leaves a value as it is. */
export async function updateCompany(
  tenant: Tenant,
  { name, metered }: { name: string | null; metered: boolean | null },
): Promise<Company | undefined> {
  const updated = await tenant.query<CompanyRow>({
    text: `update companies set name = coalesce($2, name), metered = coalesce($3, metered)
            where company_id = $1 and closed_at is null returning *`,
    values: [name, metered],
  })
  return updated.rows[0] && companyOf(updated.rows[0])
}

/** Null if it was closed already, or never existed. */
export async function markClosed(tenant: Tenant): Promise<Date | null> {
  const marked = await tenant.query<{ closed_at: Date }>({
    text: `update companies set closed_at = clock_timestamp() where company_id = $1 and closed_at is null
           returning closed_at`,
  })
  return marked.rows[0]?.closed_at ?? null
}
