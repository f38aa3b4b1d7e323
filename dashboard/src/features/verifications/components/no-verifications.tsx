import { Link } from '@tanstack/react-router'
import ScanSearch from 'lucide-react/icons/scan-search'
import type { Wanted } from '#components/recipient/wanted.ts'
import { buttonClass } from '#components/ui/button.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { useApp } from '#lib/app.ts'
import type { VerificationsSearch } from '../search.ts'
import { isFiltered } from './filters.tsx'

interface NoVerificationsProps {
  readonly appId: string
  readonly search: VerificationsSearch
  readonly wanted: Wanted | null
  /** Whether older ones have not been searched yet. */
  readonly mayBeMore: boolean
}

/** Leads to the search in all apps, which also finds refusals. */
const InAllApps = ({ appId, wanted }: { readonly appId: string; readonly wanted: Wanted }) => (
  <Link
    to="/c/$companyId/search"
    params={{ companyId: useApp(appId).company_id }}
    state={{ recipient: wanted.recipient, country: wanted.country }}
    className={buttonClass({})}
  >
    Search all apps, including refusals
  </Link>
)

export function NoVerifications({ appId, search, wanted, mayBeMore }: NoVerificationsProps) {
  if (mayBeMore) {
    return (
      <Empty title="No matches so far" icon={<ScanSearch />}>
        Older verifications have not been searched yet. Load more to go further back.
      </Empty>
    )
  }
  if (wanted !== null || isFiltered(search)) {
    return (
      <Empty
        title="Nothing matches"
        icon={<ScanSearch />}
        action={wanted !== null && <InAllApps appId={appId} wanted={wanted} />}
      >
        No stored verification matches your search.
      </Empty>
    )
  }
  return (
    <Empty
      title="No verifications yet"
      icon={<ScanSearch />}
      action={
        <Link to="/a/$appId/start" params={{ appId }} className={buttonClass({ variant: 'primary' })}>
          Send the first one
        </Link>
      }
    >
      Each one appears here with its messages, its wrong codes and the reasons for what happened.
    </Empty>
  )
}
