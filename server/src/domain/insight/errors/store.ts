/** Errors that callers got: how many of each kind by the hour, and the last ones in full. */
import { bulkOf } from '../../../platform/bulk.ts'
import type { Queryable, Tenant } from '../../../platform/database.ts'
import type { AppId } from '../../../platform/ids.ts'
import { isOfLivingApp } from '../../tenancy/index.ts'
import { keptDays, keptOfKind } from './call-error.ts'
import type { NotedError, NotedKind } from './notes.ts'

const kindColumns = {
  company_id: ['text', ({ first }: NotedKind) => first.companyId],
  app_id: ['text', ({ first }: NotedKind) => first.appId],
  key_id: ['text', ({ first }: NotedKind) => first.keyId],
  endpoint: ['text', ({ first }: NotedKind) => first.endpoint],
  status: ['smallint', ({ first }: NotedKind) => first.status],
  type: ['text', ({ first }: NotedKind) => first.type],
} as const
const counts = bulkOf<NotedKind>(
  {
    ...kindColumns,
    starts_at: ['timestamptz', ({ hourMs }) => new Date(hourMs)],
    count: ['bigint', ({ count }) => count],
    last_at: ['timestamptz', ({ first, samples }) => new Date(samples.at(-1)?.atMs ?? first.atMs)],
  },
  1,
)
const samples = bulkOf<NotedError>(
  {
    company_id: ['text', (error) => error.companyId],
    app_id: ['text', (error) => error.appId],
    error_id: ['text', (error) => error.errorId],
    key_id: ['text', (error) => error.keyId],
    endpoint: ['text', (error) => error.endpoint],
    status: ['smallint', (error) => error.status],
    type: ['text', (error) => error.type],
    message: ['text', (error) => error.message],
    details: ['json', (error) => JSON.stringify(error.details)],
    request_id: ['text', (error) => error.requestId],
    created_at: ['timestamptz', (error) => new Date(error.atMs)],
  },
  counts.next,
)

/** Rows are sorted, so that two nodes that write at once wait for each other instead of deadlocking. */
const writeText = `
  with counted as ( /* every company: what a node has answered in a moment, of all its apps */
    insert into call_error_counts as stored (${counts.names}, expires_at)
    select ${counts.names}, starts_at + interval '${keptDays} days' from ${counts.source}
     where ${isOfLivingApp()}
     order by company_id, app_id, starts_at, key_id, endpoint, status, type
    on conflict (company_id, app_id, starts_at, key_id, endpoint, status, type) do update
       set count = stored.count + excluded.count, last_at = greatest(stored.last_at, excluded.last_at)
  )
  insert into call_errors (${samples.names}, expires_at)
  select ${samples.names}, created_at + interval '${keptDays} days' from ${samples.source}
   where ${isOfLivingApp()}
  on conflict (company_id, app_id, error_id) do nothing`

const kinds = bulkOf<NotedKind>(kindColumns, 1)

const isKind =
  'e.company_id = kind.company_id and e.app_id = kind.app_id and e.key_id = kind.key_id and e.endpoint = kind.endpoint and e.status = kind.status and e.type = kind.type'

/** For each kind, walks along its index from the hundredth newest down. */
const pruneText = `
  delete from call_errors gone /* every company: kinds of all apps that had an error in this moment */
   using (
     select e.company_id, e.app_id, e.error_id
       from (select ${kinds.names} from ${kinds.source}) kind
      cross join lateral (
        select * from call_errors e where ${isKind} order by e.error_id desc offset ${keptOfKind} limit 1000) e
   ) old
   where gone.company_id = old.company_id and gone.app_id = old.app_id and gone.error_id = old.error_id`

export async function writeErrors(queryable: Queryable, noted: readonly NotedKind[]): Promise<void> {
  await queryable.query({
    name: 'write-call-errors',
    text: writeText,
    values: [...counts.values(noted), ...samples.values(noted.flatMap((kind) => kind.samples))],
  })
  await queryable.query({ name: 'prune-call-errors', text: pruneText, values: kinds.values(noted) })
}

export interface StoredError {
  readonly errorId: string
  readonly keyId: string
  readonly endpoint: string
  readonly status: number
  readonly type: string
  readonly message: string
  readonly details: Record<string, unknown>
  readonly requestId: string
  readonly createdAt: Date
}

interface ErrorRow extends Pick<StoredError, 'endpoint' | 'status' | 'type' | 'message' | 'details'> {
  readonly error_id: string
  readonly key_id: string
  readonly request_id: string
  readonly created_at: Date
}

const errorOf = ({ error_id, key_id, request_id, created_at, ...row }: ErrorRow): StoredError => ({
  ...row,
  errorId: error_id,
  keyId: key_id,
  requestId: request_id,
  createdAt: created_at,
})

export interface ErrorFilter {
  readonly before: string
  readonly keyId: string | null
  readonly endpoint: string | null
  readonly type: string | null
  readonly status: number | null
  readonly requestId: string | null
}

/** Newest first. An app has at most a hundred of each kind, so the filters need no index. */
export async function readErrors(
  tenant: Tenant,
  appId: AppId,
  { before, keyId, endpoint, type, status, requestId }: ErrorFilter,
  limit: number,
): Promise<StoredError[]> {
  const found = await tenant.query<ErrorRow>({
    text: `select error_id, key_id, endpoint, status, type, message, details, request_id, created_at from call_errors
            where company_id = $1 and app_id = $2 and error_id < $3 and ($4::text is null or key_id = $4)
              and ($5::text is null or endpoint = $5) and ($6::text is null or type = $6)
              and ($7::smallint is null or status = $7) and ($8::text is null or request_id = $8)
            order by error_id desc limit $9`,
    values: [appId, before, keyId, endpoint, type, status, requestId, limit],
  })
  return found.rows.map(errorOf)
}

export interface ErrorCount {
  readonly startsAt: Date
  readonly keyId: string
  readonly endpoint: string
  readonly status: number
  readonly type: string
  readonly count: number
  readonly lastAt: Date
}

interface ErrorCountRow extends Pick<ErrorCount, 'endpoint' | 'status' | 'type'> {
  readonly starts_at: Date
  readonly key_id: string
  readonly count: bigint
  readonly last_at: Date
}

const countOf = ({ starts_at, key_id, count, last_at, ...row }: ErrorCountRow): ErrorCount => ({
  ...row,
  startsAt: starts_at,
  keyId: key_id,
  count: Number(count),
  lastAt: last_at,
})

/** The most rows that are read, each a kind in an hour; the newest if there are more. */
const mostCounts = 50_000

export async function readErrorCounts(
  tenant: Tenant,
  appId: AppId,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<ErrorCount[]> {
  const found = await tenant.query<ErrorCountRow>({
    text: `select starts_at, key_id, endpoint, status, type, count, last_at from call_error_counts
            where company_id = $1 and app_id = $2 and starts_at >= $3 and starts_at < $4
            order by starts_at desc limit ${mostCounts}`,
    values: [appId, new Date(fromMs), new Date(toMs)],
  })
  return found.rows.map(countOf)
}
