import { type AppSettings, appSettings, ownRules } from '@countersign/contract'
import type { Queryable, Tenant } from '../../platform/database.ts'
import type { AppId, CompanyId } from '../../platform/ids.ts'
import type { App } from './tenancy.ts'

export interface AppRow {
  app_id: AppId
  company_id: CompanyId
  name: string
  settings: unknown
  rules: unknown
  revision: number
  created_at: Date
  paused_at: Date | null
}

/** Settings that an older version wrote lack newer fields: parsing fills in their defaults. */
export const appOf = (row: AppRow): App => ({
  appId: row.app_id,
  companyId: row.company_id,
  name: row.name,
  settings: appSettings.parse(row.settings),
  rules: ownRules.parse(row.rules),
  createdAt: row.created_at,
  pausedAt: row.paused_at,
})

/** Undefined if the company has `most` apps already. */
export async function insertApp(
  tenant: Tenant,
  app: { appId: AppId; name: string; settings: AppSettings },
  most: number,
): Promise<App | undefined> {
  const inserted = await tenant.query<AppRow>({
    text: `insert into apps (company_id, app_id, name, settings)
           select $1, $2, $3, $4::jsonb where (select count(*) from apps where company_id = $1 and deleted_at is null) < $5
           returning *`,
    values: [app.appId, app.name, app.settings, most],
  })
  return inserted.rows[0] && appOf(inserted.rows[0])
}

export async function findApp(
  tenant: Tenant,
  appId: AppId,
): Promise<(App & { revision: number }) | undefined> {
  const found = await tenant.query<AppRow>({
    text: 'select * from apps where company_id = $1 and app_id = $2 and deleted_at is null',
    values: [appId],
  })
  const row = found.rows[0]
  return row && { ...appOf(row), revision: row.revision }
}

/** Held while a key or an endpoint is made, so that they are counted one by one and a deleted app gets none. */
export async function lockApp(tenant: Tenant, appId: AppId): Promise<boolean> {
  const locked = await tenant.query({
    text: 'select 1 from apps where company_id = $1 and app_id = $2 and deleted_at is null for no key update',
    values: [appId],
  })
  return locked.rowCount === 1
}

export type ListedApp = Pick<App, 'appId' | 'name' | 'createdAt' | 'pausedAt'>

/** In the order in which they were made, since ids sort by time. */
export async function listApps(
  tenant: Tenant,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<ListedApp[]> {
  const found = await tenant.query<Pick<AppRow, 'app_id' | 'name' | 'created_at' | 'paused_at'>>({
    text: `select app_id, name, created_at, paused_at from apps
            where company_id = $1 and deleted_at is null and ($2::text is null or app_id > $2) order by app_id limit $3`,
    values: [after, limit],
  })
  return found.rows.map((row) => ({
    appId: row.app_id,
    name: row.name,
    createdAt: row.created_at,
    pausedAt: row.paused_at,
  }))
}

/** Undefined if somebody else changed the app since `revision` was read. */
export async function updateApp(
  tenant: Tenant,
  app: { appId: AppId; name: string; settings: AppSettings; revision: number },
): Promise<App | undefined> {
  const updated = await tenant.query<AppRow>({
    text: `update apps set name = $3, settings = $4, revision = revision + 1
            where company_id = $1 and app_id = $2 and deleted_at is null and revision = $5 returning *`,
    values: [app.appId, app.name, app.settings, app.revision],
  })
  return updated.rows[0] && appOf(updated.rows[0])
}

/** An app that is already paused keeps the time of its pause. */
export async function pauseApp(tenant: Tenant, appId: AppId, isPaused: boolean): Promise<App | undefined> {
  const updated = await tenant.query<AppRow>({
    text: `update apps set paused_at = case when $3 then coalesce(paused_at, clock_timestamp()) end
            where company_id = $1 and app_id = $2 and deleted_at is null returning *`,
    values: [appId, isPaused],
  })
  return updated.rows[0] && appOf(updated.rows[0])
}

/** Marks one app as deleted, or with null all of the company; their keys stop working. False if there was none. */
export async function markDeleted(tenant: Tenant, appId: AppId | null): Promise<boolean> {
  const marked = await tenant.query({
    text: `with gone as (
             update apps set deleted_at = clock_timestamp()
              where company_id = $1 and ($2::text is null or app_id = $2) and deleted_at is null returning app_id
           ), stopped as (
             update keys set revoked_at = coalesce(revoked_at, clock_timestamp())
              where company_id = $1 and app_id in (select app_id from gone)
           )
           select app_id from gone`,
    values: [appId],
  })
  return marked.rowCount !== 0
}

/** Finds an app whose company is not known yet: from a key's text, or from a path. */
export async function findAppById(queryable: Queryable, appId: AppId): Promise<App | undefined> {
  const found = await queryable.query<AppRow>({
    text: `select * from apps where app_id = $1 and deleted_at is null
           /* every company: this is how the company of an app is found */`,
    values: [appId],
  })
  return found.rows[0] && appOf(found.rows[0])
}

/**
 * SQL for whether the app of a row still exists: for rows that come from outside without a key, and for those that
 * nodes note and write later. A row that is written after a deleted app was erased would never be erased.
 */
export const isOfLivingApp = (row = 'row') =>
  `exists (select 1 from apps a where a.company_id = ${row}.company_id and a.app_id = ${row}.app_id and a.deleted_at is null)`
