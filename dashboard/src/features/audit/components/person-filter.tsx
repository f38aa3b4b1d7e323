import { Select } from '#components/ui/input.tsx'
import { useMembers } from '../api/audit.ts'
import { peopleIn } from '../lib/people.ts'
import type { AuditEntry } from '../lib/words.ts'

interface PersonFilterProps {
  readonly companyId: string
  /** The entries shown so far: everybody in them can be chosen, member or not. */
  readonly entries: readonly AuditEntry[]
  readonly person: string | undefined
  readonly onChange: (person: string | undefined) => void
}

/** Answers “what did my colleague change?”. */
export function PersonFilter({ companyId, entries, person, onChange }: PersonFilterProps) {
  const members = useMembers(companyId).data?.members ?? []
  return (
    <Select
      aria-label="Who"
      className="max-w-full sm:w-fit"
      value={person ?? ''}
      onChange={({ target }) => onChange(target.value || undefined)}
    >
      <option value="">Anybody</option>
      {peopleIn(members, entries, person).map(([personId, name]) => (
        <option key={personId} value={personId}>
          {name}
        </option>
      ))}
    </Select>
  )
}
