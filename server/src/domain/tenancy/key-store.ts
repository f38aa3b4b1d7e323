import type { KeyKind } from '@countersign/contract'
import { bulkOf } from '../../platform/bulk.ts'
import type { Queryable, Tenant } from '../../platform/database.ts'
import type { AppId, CompanyId, KeyId } from '../../platform/ids.ts'
import { type AppRow, appOf } from './app-store.ts'
import type { App, Key, Principal, ShownKey } from './tenancy.ts'

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

/** False if the app has `most` keys already that are not revoked. The caller has locked the app. */
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

/** Calls and errors of the last 24 whole hours. */
const counts = `
  select coalesce(sum(c.calls), 0)::integer as calls, coalesce(sum(c.errors), 0)::integer as errors from key_counts c
   where c.company_id = $1 and c.app_id = $2 and c.key_id = k.key_id and c.hour > now() - interval '1 day'`

export interface KeyFilter {
  readonly after: string | null
  /** Null for live and revoked keys. */
  readonly isLive: boolean | null
  readonly limit: number
}

export async function listKeys(
  tenant: Tenant,
  appId: AppId,
  { after, isLive, limit }: KeyFilter,
): Promise<Key[]> {
  const found = await tenant.query<KeyRow>({
    text: `select k.*, counted.calls, counted.errors from keys k cross join lateral (${counts}) counted
            where k.company_id = $1 and k.app_id = $2 and ($3::text is null or k.key_id > $3)
              and ($4::boolean is null or (k.revoked_at is null) = $4)
            order by k.key_id limit $5`,
    values: [appId, after, isLive, limit],
  })
  return found.rows.map(keyOf)
}

/** Returns since when the key is revoked; a second revocation keeps the first time. Undefined if there is no key. */
export async function revokeKey(tenant: Tenant, appId: AppId, keyId: KeyId): Promise<Date | undefined> {
  const revoked = await tenant.query<{ revoked_at: Date }>({
    text: `update keys set revoked_at = coalesce(revoked_at, now())
            where company_id = $1 and app_id = $2 and key_id = $3 returning revoked_at`,
    values: [appId, keyId],
  })
  return revoked.rows[0]?.revoked_at
}

export interface FoundKey {
  readonly principal: Omit<Principal, 'app'> & { readonly app: App }
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

export interface KeyUse {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly keyId: KeyId
  readonly at: Date
  readonly calls: number
  readonly errors: number
}

const usedKeys = bulkOf<KeyUse>(
  {
    company_id: ['text', (use) => use.companyId],
    app_id: ['text', (use) => use.appId],
    key_id: ['text', (use) => use.keyId],
    at: ['timestamptz', (use) => use.at],
    calls: ['integer', (use) => use.calls],
    errors: ['integer', (use) => use.errors],
  },
  1,
)

const daysCounted = 2

/** Rows are locked in one order, so that nodes which write at once do not deadlock. */
export async function writeKeyUses(queryable: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await queryable.query({
    text: `
      with used as ( /* every company: what a node has noted of the keys that called it */
        select k.company_id, k.app_id, k.key_id, row.at, row.calls, row.errors
          from ${usedKeys.source}
          join keys k on k.company_id = row.company_id and k.app_id = row.app_id and k.key_id = row.key_id
         order by k.company_id, k.app_id, k.key_id for no key update of k
      ), counted as (
        insert into key_counts as c (company_id, app_id, key_id, hour, calls, errors, expires_at)
        select company_id, app_id, key_id, date_trunc('hour', now()), calls, errors, now() + ${daysCounted} * interval '1 day' from used
        on conflict (company_id, app_id, key_id, hour) do update
           set calls = c.calls + excluded.calls, errors = c.errors + excluded.errors
      )
      update keys k set last_used_at = greatest(k.last_used_at, used.at)
        from used where k.company_id = used.company_id and k.app_id = used.app_id and k.key_id = used.key_id`,
    values: usedKeys.values(uses),
  })
}
