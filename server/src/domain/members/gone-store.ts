/**
 * What deleted apps and closed companies have left behind. The tables and their keys are read from PostgreSQL's
 * catalogue, so that a new table is erased too.
 */
import type { Queryable, Tenant } from '../../platform/database.ts'
import type { AppId, CompanyId } from '../../platform/ids.ts'
import type { AppRef } from '../tenancy/index.ts'

/** By then, sends that were under way have been accepted, and their messages have failed. */
const waitSeconds = 60
/** No code lives longer than this. */
const settledSeconds = 900
const mostAtOnce = 20

export interface Table {
  readonly name: string
  /** The columns of the table's primary key, as SQL. */
  readonly key: string
  readonly hasApp: boolean
}

/** The ledger stays as a sum and the audit trail until it expires; rows of apps and companies are deleted separately. */
const kept = `('apps', 'companies', 'ledger', 'audit_entries', 'audit_chains')`

export async function listTables(queryable: Queryable): Promise<Table[]> {
  const found = await queryable.query<{ name: string; key: string; has_app: boolean }>({
    text: `
      select t.relname::text as name,
             (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_index i
               join pg_attribute a on a.attrelid = t.oid and a.attnum = any(i.indkey)
              where i.indrelid = t.oid and i.indisprimary) as key,
             exists (select 1 from pg_attribute where attrelid = t.oid and attname = 'app_id' and not attisdropped) as has_app
        from pg_class t
       where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
         and t.relname not in ${kept}
         and exists (select 1 from pg_attribute where attrelid = t.oid and attname = 'company_id' and not attisdropped)
       order by t.relname`,
  })
  return found.rows.map(({ name, key, has_app }) => ({ name, key, hasApp: has_app }))
}

export async function listDeletedApps(
  queryable: Queryable,
): Promise<(AppRef & { readonly isSettled: boolean })[]> {
  const found = await queryable.query<{ company_id: CompanyId; app_id: AppId; is_settled: boolean }>({
    text: `select company_id, app_id, deleted_at < clock_timestamp() - interval '${settledSeconds} seconds' as is_settled
             from apps /* every company: upkeep */
            where deleted_at < clock_timestamp() - interval '${waitSeconds} seconds'
            order by deleted_at limit ${mostAtOnce}`,
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    appId: row.app_id,
    isSettled: row.is_settled,
  }))
}

export async function listClosedCompanies(queryable: Queryable): Promise<CompanyId[]> {
  const found = await queryable.query<{ company_id: CompanyId }>({
    text: `select company_id from companies c /* every company: upkeep */
            where closed_at < clock_timestamp() - interval '${settledSeconds} seconds' and erased_at is null
              and not exists (select 1 from apps a where a.company_id = c.company_id)
            order by closed_at limit ${mostAtOnce}`,
  })
  return found.rows.map((row) => row.company_id)
}

/** A message that waits has reserved money, which the worker returns when it fails the message. */
export async function hasQueued(tenant: Tenant, appId: AppId): Promise<boolean> {
  const found = await tenant.query({
    text: `select 1 from deliveries where company_id = $1 and app_id = $2 and status = 'queued' limit 1`,
    values: [appId],
  })
  return found.rowCount === 1
}

export async function eraseOfApp(
  tenant: Tenant,
  { name, key }: Table,
  appId: AppId,
  limit: number,
): Promise<number> {
  const erased = await tenant.query({
    text: `delete from ${name} where company_id = $1 and app_id = $2 and (${key}) in (
             select ${key} from ${name} where company_id = $1 and app_id = $2 limit $3)`,
    values: [appId, limit],
  })
  return erased.rowCount ?? 0
}

export async function eraseOfCompany(tenant: Tenant, { name, key }: Table, limit: number): Promise<number> {
  const erased = await tenant.query({
    text: `delete from ${name} where company_id = $1 and (${key}) in (
             select ${key} from ${name} where company_id = $1 limit $2)`,
    values: [limit],
  })
  return erased.rowCount ?? 0
}

export async function deleteApp(tenant: Tenant, appId: AppId): Promise<void> {
  await tenant.query({
    text: 'delete from apps where company_id = $1 and app_id = $2 and deleted_at is not null',
    values: [appId],
  })
}

export async function markErased(tenant: Tenant): Promise<void> {
  await tenant.query({
    text: 'update companies set erased_at = clock_timestamp() where company_id = $1 and closed_at is not null',
  })
}
