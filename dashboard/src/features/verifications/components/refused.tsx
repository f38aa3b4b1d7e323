import ShieldCheck from 'lucide-react/icons/shield-check'
import { RefusalsTable } from '#components/refusals/refusals-table.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useRefusals } from '../api/verifications.ts'
import type { VerificationsSearch } from '../search.ts'
import { isFiltered } from './filters.tsx'

interface RefusedProps {
  readonly appId: string
  readonly search: VerificationsSearch
}

export function Refused({ appId, search }: RefusedProps) {
  const query = useRefusals(appId, search)
  return (
    <Card isFlush>
      <Loaded query={query} loading={<SkeletonRows rows={10} />}>
        {({ pages }) => {
          const rows = pages.flatMap(({ refusals }) => refusals)
          return (
            <>
              {rows.length === 0 ? (
                <NothingRefused isSearching={isFiltered(search)} mayBeMore={query.hasNextPage} />
              ) : (
                <RefusalsTable rows={rows} appOf={() => appId} />
              )}
              {(rows.length > 0 || query.hasNextPage) && (
                <Pages query={query} shown={rows.length} noun={['row', 'rows']} />
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

interface NothingRefusedProps {
  readonly isSearching: boolean
  /** Whether older ones have not been searched yet. */
  readonly mayBeMore: boolean
}

function NothingRefused({ isSearching, mayBeMore }: NothingRefusedProps) {
  if (mayBeMore) {
    return (
      <Empty title="No matches so far" icon={<ShieldCheck />}>
        Older refusals have not been searched yet. Load more to go further back.
      </Empty>
    )
  }
  return (
    <Empty title={isSearching ? 'Nothing matches' : 'Nothing was refused'} icon={<ShieldCheck />}>
      {isSearching
        ? 'No stored refusal matches your search.'
        : 'A send or resend that is refused appears here with the rule that refused it, and why.'}
    </Empty>
  )
}
