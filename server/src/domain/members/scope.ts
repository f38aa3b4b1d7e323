/** Which company a thing belongs to, so that somebody else's is as good as none. */
import type { Queryable } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'

/** Named in paths, the widest first: the first that a path has settles it. */
const statements: Readonly<Record<string, { readonly noun: string; readonly text: string }>> = {
  company_id: {
    noun: 'company',
    text: 'select company_id from companies where company_id = $1 and ($2::text[] is null or company_id = any($2))',
  },
  app_id: {
    noun: 'app',
    text: 'select company_id from apps where app_id = $1 and ($2::text[] is null or company_id = any($2))',
  },
  key_id: {
    noun: 'key',
    text: `select app.company_id from keys key join apps app on app.app_id = key.app_id
            where key.key_id = $1 and ($2::text[] is null or app.company_id = any($2))`,
  },
  event_id: {
    noun: 'event',
    text: 'select company_id from events where event_id = $1 and ($2::text[] is null or company_id = any($2))',
  },
  provider_id: {
    noun: 'provider',
    text: 'select company_id from providers where provider_id = $1 and ($2::text[] is null or company_id = any($2))',
  },
  otp_id: {
    noun: 'verification',
    // The expression is what the index by id is on.
    text: `select company_id from verifications
            where otp_id = $1 and substr(otp_id, 5) = substr($1, 5)
              and ($2::text[] is null or company_id = any($2))`,
  },
}

export interface Scope {
  readonly noun: string
  /** Null: it does not exist, or in none of the companies that were asked for. */
  readonly companyId: CompanyId | null
}

/** Null for what names nothing that has a company. `among` null: all companies. */
export async function findScope(
  queryable: Queryable,
  named: Readonly<Record<string, string>>,
  among: readonly CompanyId[] | null,
): Promise<Scope | null> {
  const parameter = Object.keys(statements).find((name) => named[name] !== undefined)
  const statement = parameter && statements[parameter]
  if (!parameter || !statement) return null
  // PostgreSQL holds no NUL, and nothing of ours is longer.
  const id = /^[\w-]{1,64}$/.exec(named[parameter] ?? '')?.[0]
  if (!id) return { noun: statement.noun, companyId: null }
  const found = await queryable.query<{ company_id: CompanyId }>({
    text: statement.text,
    values: [id, among],
  })
  return { noun: statement.noun, companyId: found.rows[0]?.company_id ?? null }
}
