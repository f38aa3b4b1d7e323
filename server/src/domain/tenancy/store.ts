import { type AppSettings, appSettings, type KeyKind } from '@countersign/contract'
import { columnsOf, type Queryable } from '../../platform/database.ts'
import type { AppId, CompanyId, KeyId } from '../../platform/ids.ts'
import type { App, Company, Key, Principal } from './tenancy.ts'

interface CompanyRow {
  company_id: CompanyId
  name: string
  metered: boolean
  balance_micros: bigint
  created_at: Date
}

const companyOf = (row: CompanyRow): Company => ({
  companyId: row.company_id,
  name: row.name,
  metered: row.metered,
  balanceMicros: row.balance_micros,
  createdAt: row.created_at,
})

export async function insertCompany(
  queryable: Queryable,
  company: { companyId: CompanyId; name: string; metered: boolean },
): Promise<void> {
  await queryable.query({
    text: 'insert into companies (company_id, name, metered) values ($1, $2, $3)',
    values: [company.companyId, company.name, company.metered],
  })
}

export async function findCompany(queryable: Queryable, companyId: CompanyId): Promise<Company | undefined> {
  const found = await queryable.query<CompanyRow>({
    text: 'select * from companies where company_id = $1',
    values: [companyId],
  })
  return found.rows[0] && companyOf(found.rows[0])
}

/** Whoever counts before making one more holds it: of two at once the second counts the first one's too. */
export async function lockCompany(queryable: Queryable, companyId: CompanyId): Promise<boolean> {
  const locked = await queryable.query({
    text: 'select 1 from companies where company_id = $1 for no key update',
    values: [companyId],
  })
  return locked.rowCount === 1
}

/** By name; of those named in `companyIds`, or of all where it is null. */
export async function listCompanies(
  queryable: Queryable,
  {
    companyIds,
    search,
    after,
    limit,
  }: {
    companyIds: readonly string[] | null
    search: string | null
    after: CompanyId | null
    limit: number
  },
): Promise<Company[]> {
  const found = await queryable.query<CompanyRow>({
    text: `select * from companies
            where ($1::text[] is null or company_id = any($1))
              and ($2::text is null or company_id = $2 or position(lower($2) in lower(name)) > 0)
              and ($3::text is null or (lower(name), company_id) > (select lower(name), company_id from companies where company_id = $3))
            order by lower(name), company_id limit $4`,
    values: [companyIds, search, after, limit],
  })
  return found.rows.map(companyOf)
}

/** What is null stays as it is. */
export async function updateCompany(
  queryable: Queryable,
  companyId: CompanyId,
  { name, metered }: { name: string | null; metered: boolean | null },
): Promise<Company | undefined> {
  const updated = await queryable.query<CompanyRow>({
    text: `update companies set name = coalesce($2, name), metered = coalesce($3, metered)
            where company_id = $1 returning *`,
    values: [companyId, name, metered],
  })
  return updated.rows[0] && companyOf(updated.rows[0])
}

interface AppRow {
  app_id: AppId
  company_id: CompanyId
  name: string
  settings: unknown
  revision: number
  created_at: Date
}

/** Settings written by an older version lack what came later: parsing fills the defaults in. */
const appOf = (row: AppRow): App => ({
  appId: row.app_id,
  companyId: row.company_id,
  name: row.name,
  settings: appSettings.parse(row.settings),
  createdAt: row.created_at,
})

/** Nothing when the company has `most` already. */
export async function insertApp(
  queryable: Queryable,
  app: { appId: AppId; companyId: CompanyId; name: string; settings: AppSettings },
  most: number,
): Promise<App | undefined> {
  const inserted = await queryable.query<AppRow>({
    text: `insert into apps (app_id, company_id, name, settings)
           select $1, $2, $3, $4::jsonb where (select count(*) from apps where company_id = $2) < $5
           returning *`,
    values: [app.appId, app.companyId, app.name, app.settings, most],
  })
  return inserted.rows[0] && appOf(inserted.rows[0])
}

export async function findApp(
  queryable: Queryable,
  appId: AppId,
): Promise<(App & { revision: number }) | undefined> {
  const found = await queryable.query<AppRow>({
    text: 'select * from apps where app_id = $1',
    values: [appId],
  })
  const row = found.rows[0]
  return row && { ...appOf(row), revision: row.revision }
}

/** Ids are in the order of making. */
export async function listApps(
  queryable: Queryable,
  companyId: CompanyId,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<Pick<App, 'appId' | 'name' | 'createdAt'>[]> {
  const found = await queryable.query<Pick<AppRow, 'app_id' | 'name' | 'created_at'>>({
    text: `select app_id, name, created_at from apps
            where company_id = $1 and ($2::text is null or app_id > $2) order by app_id limit $3`,
    values: [companyId, after, limit],
  })
  return found.rows.map((row) => ({ appId: row.app_id, name: row.name, createdAt: row.created_at }))
}

/** Nothing when somebody else changed the app since `revision` was read. */
export async function updateApp(
  queryable: Queryable,
  app: { appId: AppId; name: string; settings: AppSettings; revision: number },
): Promise<App | undefined> {
  const updated = await queryable.query<AppRow>({
    text: `update apps set name = $2, settings = $3, revision = revision + 1
            where app_id = $1 and revision = $4 returning *`,
    values: [app.appId, app.name, app.settings, app.revision],
  })
  return updated.rows[0] && appOf(updated.rows[0])
}

interface KeyRow {
  app_id: AppId
  key_id: KeyId
  kind: KeyKind
  name: string | null
  created_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

const keyOf = (row: KeyRow): Key => ({
  keyId: row.key_id,
  kind: row.kind,
  name: row.name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
})

/** False when the app has `most` already that are not revoked. */
export async function insertKey(
  queryable: Queryable,
  key: { appId: AppId; keyId: KeyId; kind: KeyKind; name: string | null; hash: Buffer },
  most: number,
): Promise<boolean> {
  const inserted = await queryable.query({
    text: `insert into keys (app_id, key_id, kind, name, key_hash)
           select $1, $2, $3, $4, $5::bytea
            where (select count(*) from keys where app_id = $1 and revoked_at is null) < $6`,
    values: [key.appId, key.keyId, key.kind, key.name, key.hash, most],
  })
  return inserted.rowCount === 1
}

export interface KeyFilter {
  readonly after: string | null
  /** Null: both. */
  readonly isLive: boolean | null
  readonly limit: number
}

export async function listKeys(
  queryable: Queryable,
  appId: AppId,
  { after, isLive, limit }: KeyFilter,
): Promise<Key[]> {
  const found = await queryable.query<KeyRow>({
    text: `select * from keys
            where app_id = $1 and ($2::text is null or key_id > $2)
              and ($3::boolean is null or (revoked_at is null) = $3)
            order by key_id limit $4`,
    values: [appId, after, isLive, limit],
  })
  return found.rows.map(keyOf)
}

/** By id alone: the management API names a key without its app. */
export async function findKeyOwner(queryable: Queryable, keyId: KeyId): Promise<AppId | undefined> {
  const found = await queryable.query<{ app_id: AppId }>({
    text: 'select app_id from keys where key_id = $1',
    values: [keyId],
  })
  return found.rows[0]?.app_id
}

/** A second revocation keeps the time of the first. */
export async function revokeKey(queryable: Queryable, appId: AppId, keyId: KeyId): Promise<Key | undefined> {
  const revoked = await queryable.query<KeyRow>({
    text: `update keys set revoked_at = coalesce(revoked_at, now())
            where app_id = $1 and key_id = $2 returning *`,
    values: [appId, keyId],
  })
  return revoked.rows[0] && keyOf(revoked.rows[0])
}

export async function findPrincipal(
  queryable: Queryable,
  appId: AppId,
  hash: Buffer,
): Promise<Principal | undefined> {
  const found = await queryable.query<AppRow & { key_id: KeyId; kind: KeyKind }>({
    name: 'find-principal',
    text: `select key.key_id, key.kind, app.*
             from keys key join apps app on app.app_id = key.app_id
            where key.app_id = $1 and key.key_hash = $2 and key.revoked_at is null`,
    values: [appId, hash],
  })
  const row = found.rows[0]
  return row && { keyId: row.key_id, kind: row.kind, app: appOf(row) }
}

export interface KeyUse {
  readonly appId: AppId
  readonly keyId: KeyId
  readonly at: Date
}

/** Rows are locked in one order, so that nodes which write at once do not block each other. */
export async function writeKeyUses(queryable: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await queryable.query({
    text: `
      with used as (
        select k.app_id, k.key_id, u.at
          from unnest($1::text[], $2::text[], $3::timestamptz[]) u (app_id, key_id, at)
          join keys k on k.app_id = u.app_id and k.key_id = u.key_id
         order by k.app_id, k.key_id for no key update of k
      )
      update keys k set last_used_at = greatest(k.last_used_at, used.at)
        from used where k.app_id = used.app_id and k.key_id = used.key_id`,
    values: columnsOf(uses, ['appId', 'keyId', 'at']),
  })
}
