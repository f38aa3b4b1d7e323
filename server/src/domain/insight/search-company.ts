/** Verifications and refusals of one recipient over all apps of a company, each newest first. */
import type { ListedRefusal, ListedVerification, SearchProblem } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { aboveAllIds, type CompanyId, parseId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { cutPage, parseCursor } from '../answers/index.ts'
import { getCompany } from '../billing/index.ts'
import { type Exception, findException, hashOfWritten } from '../verification/index.ts'
import { listedRefusal } from './list-refusals.ts'
import { readDeliveryStatuses, readVerificationsOf, type VerificationOfPage } from './list-store.ts'
import { listed } from './list-verifications.ts'
import { readRefusalsOf } from './refusal-store.ts'

/** The most verifications and the most refusals of a page. */
const pageSize = 50

export interface SearchRequest {
  readonly recipient: string
  readonly country: string | null
  readonly problem: SearchProblem | null
  readonly cursor: string | null
}

export interface SearchPage {
  readonly verifications: (ListedVerification & { app_id: string })[]
  readonly refusals: (ListedRefusal & { app_id: string })[]
  readonly exception: Exception | null
  readonly nextCursor: string | null
}

export async function searchCompany(
  { database, keyring }: { readonly database: Database; readonly keyring: () => Keyring },
  companyId: CompanyId,
  { recipient, country, problem, cursor }: SearchRequest,
): Promise<SearchPage> {
  await getCompany({ database }, companyId)
  const tenant = database.of(companyId)
  const hash = hashOfWritten(keyring(), recipient, country)
  const { otpId, refusalId } = parseCursor(cursor, parseSearchCursor) ?? beginning
  const sent = cutPage(
    otpId === null || problem === 'refusal'
      ? []
      : await readVerificationsOf(tenant, hash, otpId, pageSize + 1, problem),
    pageSize,
    (row) => row.otpId,
  )
  const refused = cutPage(
    refusalId === null || (problem !== null && problem !== 'refusal')
      ? []
      : await readRefusalsOf(tenant, hash, refusalId, pageSize + 1),
    pageSize,
    ({ refusalId }) => refusalId,
  )
  const statuses = new Map<string, ListedVerification['delivery_status']>()
  for (const [appId, own] of byApp(sent.rows)) {
    for (const [id, status] of await readDeliveryStatuses(tenant, appId, own)) statuses.set(id, status)
  }
  return {
    verifications: sent.rows.map((row) => ({
      app_id: row.appId,
      ...listed(row, statuses.get(row.otpId) ?? null),
    })),
    refusals: refused.rows.map((row) => ({ app_id: row.appId, ...listedRefusal(row) })),
    exception: await findException(tenant, hash),
    nextCursor: cursorOf(sent.nextCursor, refused.nextCursor),
  }
}

function byApp(
  rows: readonly VerificationOfPage[],
): Map<VerificationOfPage['appId'], VerificationOfPage['otpId'][]> {
  const apps = new Map<VerificationOfPage['appId'], VerificationOfPage['otpId'][]>()
  for (const { appId, otpId } of rows) apps.set(appId, [...(apps.get(appId) ?? []), otpId])
  return apps
}

/** Where the next page of verifications and of refusals begins; empty for a list that has ended. */
const cursorOf = (otpId: string | null, refusalId: string | null) =>
  otpId || refusalId ? `${otpId ?? ''}.${refusalId ?? ''}` : null

/** A field is null if its list has ended. */
interface SearchCursor {
  readonly otpId: string | null
  readonly refusalId: string | null
}

const beginning: SearchCursor = {
  otpId: aboveAllIds('verification'),
  refusalId: aboveAllIds('refusal'),
}

function parseSearchCursor(cursor: string): SearchCursor | null {
  const [otpId = '', refusalId = '', ...more] = cursor.split('.')
  const isValid =
    more.length === 0 &&
    (otpId || refusalId) &&
    (otpId === '' || parseId('verification', otpId)) &&
    (refusalId === '' || parseId('refusal', refusalId))
  return isValid ? { otpId: otpId || null, refusalId: refusalId || null } : null
}
