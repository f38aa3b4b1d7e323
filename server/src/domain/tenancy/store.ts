import { type AppSettings, appSettings, type KeyKind, ownRules } from '@countersign/contract'
import { columnsOf, type Queryable, type Tenant } from '../../platform/database.ts'
import type { AppId, CompanyId, KeyId } from '../../platform/ids.ts'
import type { App, Company, Key, Principal, ShownKey } from './tenancy.ts'

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

/**
 * Held while counting and inserting, so that of two calls at once the second counts what the first has made.
 */
export async function lockCompany(tenant: Tenant): Promise<boolean> {
  const locked = await tenant.query({
    text: 'select 1 from companies where company_id = $1 and closed_at is null for no key update',
  })
  return locked.rowCount === 1
}

/** By name; of those named in `companyIds`, or of all where it is null. */
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

/** What is null stays as it is. */
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

interface AppRow {
  app_id: AppId
  company_id: CompanyId
  name: string
  settings: unknown
  rules: unknown
  revision: number
  created_at: Date
  paused_at: Date | null
}

/** Settings written by an older version lack what came later: parsing fills the defaults in. */
const appOf = (row: AppRow): App => ({
  appId: row.app_id,
  companyId: row.company_id,
  name: row.name,
  settings: appSettings.parse(row.settings),
  rules: ownRules.parse(row.rules),
  createdAt: row.created_at,
  pausedAt: row.paused_at,
})

/** Nothing when the company has `most` already. */
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

export type ListedApp = Pick<App, 'appId' | 'name' | 'createdAt' | 'pausedAt'>

/** Ids are in the order of making. */
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

/** Nothing when somebody else changed the app since `revision` was read. */
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

/** One that is paused already stays paused since then. */
export async function pauseApp(tenant: Tenant, appId: AppId, isPaused: boolean): Promise<App | undefined> {
  const updated = await tenant.query<AppRow>({
    text: `update apps set paused_at = case when $3 then coalesce(paused_at, clock_timestamp()) end
            where company_id = $1 and app_id = $2 and deleted_at is null returning *`,
    values: [appId, isPaused],
  })
  return updated.rows[0] && appOf(updated.rows[0])
}

/** Of one app, or of all that the company has: the keys stop with it. False where there was none. */
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

/** Null where it was closed already, or never was. */
export async function markClosed(tenant: Tenant): Promise<Date | null> {
  const marked = await tenant.query<{ closed_at: Date }>({
    text: `update companies set closed_at = clock_timestamp() where company_id = $1 and closed_at is null
           returning closed_at`,
  })
  return marked.rows[0]?.closed_at ?? null
}

interface KeyRow {
  app_id: AppId
  key_id: KeyId
  kind: KeyKind
  name: string | null
  created_at: Date
  first_characters: string
  last_characters: string
  last_used_at: Date | null
  revoked_at: Date | null
  calls: number
  errors: number
}

const keyOf = (row: KeyRow): Key => ({
  keyId: row.key_id,
  kind: row.kind,
  name: row.name,
  shown: { first: row.first_characters, last: row.last_characters },
  calls: row.calls,
  errors: row.errors,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
})

/** False when the app has `most` already that are not revoked. */
export async function insertKey(
  tenant: Tenant,
  key: {
    appId: AppId
    keyId: KeyId
    kind: KeyKind
    name: string | null
    hash: Buffer
    shown: ShownKey
  },
  most: number,
): Promise<boolean> {
  const inserted = await tenant.query({
    text: `insert into keys (company_id, app_id, key_id, kind, name, key_hash, first_characters, last_characters)
           select $1, $2, $3, $4, $5, $6::bytea, $7, $8
            where (select count(*) from keys where company_id = $1 and app_id = $2 and revoked_at is null) < $9`,
    values: [key.appId, key.keyId, key.kind, key.name, key.hash, key.shown.first, key.shown.last, most],
  })
  return inserted.rowCount === 1
}

/** Of the last 24 hours, by whole hours. */
const countsOf = (keyId: string) => `
  select coalesce(sum(c.calls), 0)::integer as calls, coalesce(sum(c.errors), 0)::integer as errors from key_counts c
   where c.company_id = $1 and c.app_id = $2 and c.key_id = ${keyId} and c.hour > now() - interval '1 day'`

export interface KeyFilter {
  readonly after: string | null
  /** Null: both. */
  readonly isLive: boolean | null
  readonly limit: number
}

export async function listKeys(
  tenant: Tenant,
  appId: AppId,
  { after, isLive, limit }: KeyFilter,
): Promise<Key[]> {
  const found = await tenant.query<KeyRow>({
    text: `select k.*, counted.calls, counted.errors from keys k cross join lateral (${countsOf('k.key_id')}) counted
            where k.company_id = $1 and k.app_id = $2 and ($3::text is null or k.key_id > $3)
              and ($4::boolean is null or (k.revoked_at is null) = $4)
            order by k.key_id limit $5`,
    values: [appId, after, isLive, limit],
  })
  return found.rows.map(keyOf)
}

/** A second revocation keeps the time of the first. */
export async function revokeKey(tenant: Tenant, appId: AppId, keyId: KeyId): Promise<Key | undefined> {
  const revoked = await tenant.query<KeyRow>({
    text: `update keys set revoked_at = coalesce(revoked_at, now())
            where company_id = $1 and app_id = $2 and key_id = $3
           returning *, 0 as calls, 0 as errors`,
    values: [appId, keyId],
  })
  return revoked.rows[0] && keyOf(revoked.rows[0])
}

export interface FoundKey {
  readonly principal: Principal
  readonly isRevoked: boolean
}

export async function findKey(
  queryable: Queryable,
  appId: AppId,
  hash: Buffer,
): Promise<FoundKey | undefined> {
  const found = await queryable.query<AppRow & { key_id: KeyId; kind: KeyKind; is_revoked: boolean }>({
    name: 'find-principal',
    text: `select key.key_id, key.kind, key.revoked_at is not null as is_revoked, app.* /* every company: a key names its app, and by that its company */
             from apps app join keys key on key.company_id = app.company_id and key.app_id = app.app_id
            where app.app_id = $1 and app.deleted_at is null and key.key_hash = $2`,
    values: [appId, hash],
  })
  const row = found.rows[0]
  return (
    row && {
      principal: { keyId: row.key_id, kind: row.kind, app: appOf(row) },
      isRevoked: row.is_revoked,
    }
  )
}

/** Of an app whose company is not known yet: in a key's text, or in a path. */
export async function findAppById(queryable: Queryable, appId: AppId): Promise<App | undefined> {
  const found = await queryable.query<AppRow>({
    text: `select * from apps where app_id = $1 and deleted_at is null
           /* every company: this is how the company of an app is found */`,
    values: [appId],
  })
  return found.rows[0] && appOf(found.rows[0])
}

export interface KeyUse {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly keyId: KeyId
  readonly at: Date
  readonly calls: number
  readonly errors: number
}

const daysCounted = 2

/** Rows are locked in one order, so that nodes which write at once do not block each other. */
export async function writeKeyUses(queryable: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await queryable.query({
    text: `
      with used as ( /* every company: what a node has noted of the keys that called it */
        select k.company_id, k.app_id, k.key_id, u.at, u.calls, u.errors
          from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::integer[], $6::integer[])
               u (company_id, app_id, key_id, at, calls, errors)
          join keys k on k.company_id = u.company_id and k.app_id = u.app_id and k.key_id = u.key_id
         order by k.company_id, k.app_id, k.key_id for no key update of k
      ), counted as (
        insert into key_counts as c (company_id, app_id, key_id, hour, calls, errors, expires_at)
        select company_id, app_id, key_id, date_trunc('hour', now()), calls, errors, now() + ${daysCounted} * interval '1 day' from used
        on conflict (company_id, app_id, key_id, hour) do update
           set calls = c.calls + excluded.calls, errors = c.errors + excluded.errors
      )
      update keys k set last_used_at = greatest(k.last_used_at, used.at)
        from used where k.company_id = used.company_id and k.app_id = used.app_id and k.key_id = used.key_id`,
    values: columnsOf(uses, ['companyId', 'appId', 'keyId', 'at', 'calls', 'errors']),
  })
}

/**
 * Whether the app of a `row` is there still, for what nodes note and write a moment later: once a deleted app is
 * erased, nobody would erase it again.
 */
export const isOfLivingApp =
  'exists (select 1 from apps a where a.company_id = row.company_id and a.app_id = row.app_id and a.deleted_at is null)'
