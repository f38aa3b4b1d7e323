import { Badge } from '#components/ui/badge.tsx'
import { useMe } from '#lib/session.ts'

interface PersonNameProps {
  readonly person: { readonly person_id: string; readonly name: string | null; readonly email: string }
}

/** A person in a list. If it is the reader, it says so. */
export function PersonName({ person: { name, email, person_id } }: PersonNameProps) {
  const me = useMe()
  return (
    <span className="flex min-w-0 flex-col py-0.5">
      <span className="flex flex-wrap items-center gap-x-2 font-medium">
        <span className="[overflow-wrap:anywhere]">{name ?? email}</span>
        {person_id === me.person_id && <Badge>you</Badge>}
      </span>
      {name && <span className="text-xs [overflow-wrap:anywhere] text-faint">{email}</span>}
    </span>
  )
}
