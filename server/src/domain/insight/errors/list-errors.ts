/** Errors that an app's callers got: the last ones of each kind, newest first, and how many there were by the hour. */
import type { ErrorStatsAnswer, ErrorsQuery, ListedError } from '@countersign/contract'
import type { Database } from '../../../platform/database.ts'
import { aboveAllIds, parseId } from '../../../platform/ids.ts'
import { assertForward, parseCursor, readPage, validationError } from '../../answers/index.ts'
import { type AppRef, getApp } from '../../tenancy/index.ts'
import { keptDays } from './call-error.ts'
import { type ErrorCount, readErrorCounts, readErrors, type StoredError } from './store.ts'

interface Dependencies {
  readonly database: Database
}

export async function listErrors(
  { database }: Dependencies,
  app: AppRef,
  query: ErrorsQuery,
): Promise<{ errors: ListedError[]; nextCursor: string | null }> {
  const { companyId, appId } = await getApp({ database }, app)
  const cursor = parseCursor(query.cursor ?? null, (text) => parseId('error', text))
  const filter = {
    before: cursor ?? aboveAllIds('error'),
    keyId: query.key_id ?? null,
    endpoint: query.endpoint ?? null,
    type: query.type ?? null,
    status: query.status ?? null,
    requestId: query.request_id ?? null,
  }
  const { rows, nextCursor } = await readPage(
    query.limit,
    (limit) => readErrors(database.of(companyId), appId, filter, limit),
    ({ errorId }) => errorId,
  )
  return { errors: rows.map(listedError), nextCursor }
}

const listedError = ({ errorId, keyId, requestId, createdAt, ...error }: StoredError): ListedError => ({
  ...error,
  error_id: errorId,
  key_id: keyId,
  request_id: requestId,
  created_at: createdAt.toISOString(),
})

const dayMs = 86_400_000
const hourMs = 3_600_000

export async function readErrorStats(
  { database }: Dependencies,
  app: AppRef,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
): Promise<ErrorStatsAnswer> {
  const { companyId, appId } = await getApp({ database }, app)
  const toMs = to === undefined ? nowMs : Date.parse(to)
  const fromMs = from === undefined ? toMs - dayMs : Date.parse(from)
  assertForward(fromMs, toMs)
  const span = { fromMs: Math.floor(fromMs / hourMs) * hourMs, toMs: Math.ceil(toMs / hourMs) * hourMs }
  if (span.toMs - span.fromMs > (keptDays + 1) * dayMs) {
    throw validationError([{ path: 'from', message: `must be at most ${keptDays} days before to` }])
  }
  const rows = await readErrorCounts(database.of(companyId), appId, span)
  return {
    from: new Date(span.fromMs).toISOString(),
    to: new Date(span.toMs).toISOString(),
    total: rows.reduce((sum, { count }) => sum + count, 0),
    kinds: kindsOf(rows),
    hours: hoursOf(rows),
  }
}

/** The kinds with most errors come first. */
function kindsOf(rows: readonly ErrorCount[]): ErrorStatsAnswer['kinds'] {
  const kinds = new Map<string, ErrorStatsAnswer['kinds'][number]>()
  for (const { keyId, endpoint, status, type, count, lastAt: last } of rows) {
    const key = [keyId, endpoint, status, type].join(' ')
    const before = kinds.get(key)
    const lastAt = last.toISOString()
    kinds.set(key, {
      key_id: keyId,
      endpoint,
      status,
      type,
      count: (before?.count ?? 0) + count,
      last_at: before && before.last_at > lastAt ? before.last_at : lastAt,
    })
  }
  return [...kinds.values()].sort((left, right) => right.count - left.count)
}

/** Newest first. */
function hoursOf(rows: readonly ErrorCount[]): ErrorStatsAnswer['hours'] {
  const hours = new Map<string, ErrorStatsAnswer['hours'][number]>()
  for (const { startsAt: start, status, type, count } of rows) {
    const startsAt = start.toISOString()
    const key = [startsAt, status, type].join(' ')
    const sum = (hours.get(key)?.count ?? 0) + count
    hours.set(key, { starts_at: startsAt, status, type, count: sum })
  }
  return [...hours.values()]
}
