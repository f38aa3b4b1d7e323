/** Finds the company that the subject of a call belongs to, so that nothing of another company is found. */
import type { Queryable } from '../../platform/database.ts'
import type { AppId, CompanyId } from '../../platform/ids.ts'
import type { Owner } from '../../platform/tenant.ts'

const everyCompany = '/* every company: this is how the company of a path is found */'
const amongThose = '($2::text[] is null or company_id = any($2))'

/** Nothing of a deleted app is found any more, though its rows may exist for a while. */
const isOfApp = `exists (select 1 from apps a where a.company_id = its.company_id and a.app_id = its.app_id and a.deleted_at is null)`

/** The ids that a path may have, the widest first: the first that the path has decides. */
const things: Readonly<Record<string, { readonly noun: string; readonly text: string }>> = {
  company_id: {
    noun: 'company',
    text: `select company_id, null as app_id from companies where company_id = $1 and closed_at is null and ${amongThose} ${everyCompany}`,
  },
  app_id: {
    noun: 'app',
    text: `select company_id, app_id from apps where app_id = $1 and deleted_at is null and ${amongThose} ${everyCompany}`,
  },
  key_id: {
    noun: 'key',
    text: `select company_id, app_id from keys its where key_id = $1 and ${isOfApp} and ${amongThose} ${everyCompany}`,
  },
  event_id: {
    noun: 'event',
    text: `select company_id, app_id from events its where event_id = $1 and ${isOfApp} and ${amongThose} ${everyCompany}`,
  },
  provider_id: {
    noun: 'provider',
    text: `select company_id, null as app_id from providers where provider_id = $1 and ${amongThose} ${everyCompany}`,
  },
  otp_id: {
    noun: 'verification',
    // The index by id is on this expression.
    text: `select company_id, app_id from verifications its
            where otp_id = $1 and substr(otp_id, 5) = substr($1, 5) and ${isOfApp} and ${amongThose} ${everyCompany}`,
  },
}

/** The thing that a call is about. */
export interface Subject {
  readonly noun: string
  readonly ownerId: Owner
  /** Null for a thing that belongs to no app. */
  readonly appId: AppId | null
}

/** The subject of a call, by its ids; null if they name nothing that has an owner. */
export function subjectNamed(ids: Readonly<Record<string, string>>) {
  const name = Object.keys(things).find((thing) => ids[thing] !== undefined)
  const thing = name === undefined ? undefined : things[name]
  return name === undefined || !thing ? null : { ...thing, id: ids[name] ?? '' }
}

/** Undefined if the subject exists in none of these companies; with `among` null, every company is searched. */
export async function findSubject(
  queryable: Queryable,
  { noun, text, id }: NonNullable<ReturnType<typeof subjectNamed>>,
  among: readonly CompanyId[] | null,
): Promise<Subject | undefined> {
  // PostgreSQL cannot store a NUL, and no id is longer than this.
  if (!/^[\w-]{1,64}$/.test(id)) return undefined
  const found = await queryable.query<{ company_id: Owner; app_id: AppId | null }>({
    text,
    values: [id, among],
  })
  const row = found.rows[0]
  return row && { noun, ownerId: row.company_id, appId: row.app_id }
}
