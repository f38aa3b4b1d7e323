/** An app's own rules: read, replaced as a whole, and brought back from an earlier revision. */
import { AppError, type OwnRule } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tenant } from '../../platform/database.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { raiseRevision } from '../../platform/remember.ts'
import { noSuch, type Page, type PageRequest, parseCursor, readPage } from '../answers/index.ts'
import * as store from './rule-store.ts'
import type { AppRef, RuleRevision } from './tenancy.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
}

/** A new rule has no id yet. */
export type RuleDraft = Omit<OwnRule, 'rule_id'> & { readonly rule_id?: string | undefined }

export async function getRules(
  { database }: Pick<Dependencies, 'database'>,
  { companyId, appId }: AppRef,
): Promise<store.RulesInForce> {
  const found = await store.findRules(database.of(companyId), appId)
  if (!found) throw noSuch('app')
  return found
}

export async function putRules(
  { database, clock }: Dependencies,
  app: AppRef,
  { revision, rules }: { readonly revision: number; readonly rules: readonly RuleDraft[] },
  personId: PersonId | null,
): Promise<store.RulesInForce> {
  const named = rules.map((rule) => ({ ...rule, rule_id: rule.rule_id ?? newId('rule', clock.nowMs()) }))
  const put = await inForce(database, app, personId, null, (tenant) =>
    store.replaceRules(tenant, app.appId, { revision, rules: named }),
  )
  if (put) return put
  const current = await getRules({ database }, app)
  throw new AppError(
    'ConflictError',
    `Somebody has changed the rules since: revision ${current.revision} is in force. Read them again.`,
    { revision: current.revision },
  )
}

export async function restoreRules(
  { database }: Pick<Dependencies, 'database'>,
  app: AppRef,
  revision: number,
  personId: PersonId | null,
): Promise<store.RulesInForce> {
  const restored = await inForce(database, app, personId, revision, (tenant) =>
    store.restoreRules(tenant, app.appId, revision),
  )
  if (!restored) throw noSuch('revision')
  return restored
}

/** The change, its entry in the history and the new revision for all nodes are one commit. */
const inForce = (
  database: Database,
  { companyId, appId }: AppRef,
  personId: PersonId | null,
  restoredFrom: number | null,
  change: (tenant: Tenant) => Promise<store.RulesInForce | undefined>,
) =>
  database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    const changed = await change(tenant)
    if (!changed) return undefined
    await store.insertRevision(tenant, appId, { ...changed, personId, restoredFrom })
    await raiseRevision(transaction)
    return changed
  })

export async function listRuleRevisions(
  { database }: Pick<Dependencies, 'database'>,
  { companyId, appId }: AppRef,
  { cursor, limit }: PageRequest,
): Promise<Page<RuleRevision>> {
  const before = parseCursor(cursor, parseRevision)
  return readPage(
    limit,
    (limit) => store.listRevisions(database.of(companyId), appId, { before, limit }),
    ({ revision }) => String(revision),
  )
}

/** Null for a text that cannot be a revision. */
export const parseRevision = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null)
