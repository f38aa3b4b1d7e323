/** An app's own rules: those in force are in the app's row, earlier ones in `rule_revisions`. */
import { type OwnRule, ownRules } from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import type { AppId, PersonId } from '../../platform/ids.ts'
import type { RuleRevision } from './tenancy.ts'

export interface RulesInForce {
  readonly revision: number
  readonly rules: readonly OwnRule[]
}

interface InForceRow {
  rules: unknown
  rules_revision: number
}

const inForceOf = (row: InForceRow): RulesInForce => ({
  revision: row.rules_revision,
  rules: ownRules.parse(row.rules),
})

export async function findRules(tenant: Tenant, appId: AppId): Promise<RulesInForce | undefined> {
  const found = await tenant.query<InForceRow>({
    text: 'select rules, rules_revision from apps where company_id = $1 and app_id = $2 and deleted_at is null',
    values: [appId],
  })
  return found.rows[0] && inForceOf(found.rows[0])
}

/** Undefined if another revision is in force, or there is no such app. */
export async function replaceRules(
  tenant: Tenant,
  appId: AppId,
  { revision, rules }: RulesInForce,
): Promise<RulesInForce | undefined> {
  const updated = await tenant.query<InForceRow>({
    text: `update apps set rules = $3::jsonb, rules_revision = rules_revision + 1
            where company_id = $1 and app_id = $2 and deleted_at is null and rules_revision = $4
           returning rules, rules_revision`,
    values: [appId, JSON.stringify(rules), revision],
  })
  return updated.rows[0] && inForceOf(updated.rows[0])
}

/** Undefined if that revision is no longer kept. */
export async function restoreRules(
  tenant: Tenant,
  appId: AppId,
  revision: number,
): Promise<RulesInForce | undefined> {
  const updated = await tenant.query<InForceRow>({
    text: `update apps app set rules = earlier.rules, rules_revision = app.rules_revision + 1
             from rule_revisions earlier
            where app.company_id = $1 and app.app_id = $2 and app.deleted_at is null
              and earlier.company_id = $1 and earlier.app_id = $2 and earlier.revision = $3
           returning app.rules, app.rules_revision`,
    values: [appId, revision],
  })
  return updated.rows[0] && inForceOf(updated.rows[0])
}

const mostKept = 100

/** Must be called in the transaction that puts the revision in force. */
export async function insertRevision(
  tenant: Tenant,
  appId: AppId,
  {
    revision,
    rules,
    personId,
    restoredFrom,
  }: RulesInForce & { personId: PersonId | null; restoredFrom: number | null },
): Promise<void> {
  await tenant.query({
    text: `with gone as (
             delete from rule_revisions where company_id = $1 and app_id = $2 and revision <= $3::integer - ${mostKept}
           )
           insert into rule_revisions (company_id, app_id, revision, rules, person_id, restored_from)
           values ($1, $2, $3, $4::jsonb, $5, $6)`,
    values: [appId, revision, JSON.stringify(rules), personId, restoredFrom],
  })
}

/** Newest first. */
export async function listRevisions(
  tenant: Tenant,
  appId: AppId,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<RuleRevision[]> {
  const found = await tenant.query<{
    revision: number
    rules: unknown
    person_id: PersonId | null
    restored_from: number | null
    created_at: Date
  }>({
    text: `select revision, rules, person_id, restored_from, created_at from rule_revisions
            where company_id = $1 and app_id = $2 and ($3::integer is null or revision < $3)
            order by revision desc limit $4`,
    values: [appId, before, limit],
  })
  return found.rows.map((row) => ({
    revision: row.revision,
    rules: ownRules.parse(row.rules),
    personId: row.person_id,
    restoredFrom: row.restored_from,
    createdAt: row.created_at,
  }))
}
