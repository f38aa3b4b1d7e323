/** The addresses of people, for lists of what they did. */
import type { PersonId } from '../../platform/ids.ts'
import { type MemberDependencies, openEmail } from './person.ts'
import { listEmails } from './store.ts'

export async function namePeople(
  { database, keyring }: Pick<MemberDependencies, 'database' | 'keyring'>,
  doers: readonly { readonly personId: PersonId | null }[],
): Promise<Map<PersonId, string>> {
  const personIds = new Set(doers.flatMap(({ personId }) => personId ?? []))
  if (personIds.size === 0) return new Map()
  const rows = await listEmails(database, [...personIds])
  return new Map(rows.map((row) => [row.person_id, openEmail(keyring(), row.email)]))
}
