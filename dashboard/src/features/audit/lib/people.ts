/** The people that the audit trail can be filtered by. */
import type { AuditEntry } from './words.ts'

interface Known {
  readonly person_id: string
  readonly email: string
}

type Actor = Pick<AuditEntry, 'actor'>

/** The members, other people in the entries shown, and the person in the filter even if nothing else names them. */
export function peopleIn(
  members: readonly Known[],
  entries: readonly Actor[],
  wanted: string | undefined,
): readonly (readonly [personId: string, name: string])[] {
  const names = new Map(members.map(({ person_id, email }) => [person_id, email]))
  for (const { actor } of entries)
    if (actor.person_id !== null && !names.has(actor.person_id))
      names.set(actor.person_id, actor.email ?? actor.person_id)
  if (wanted !== undefined && !names.has(wanted)) names.set(wanted, wanted)
  return [...names].sort(([, one], [, other]) => one.localeCompare(other))
}
