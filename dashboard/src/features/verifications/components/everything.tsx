import type { Wanted } from '#components/recipient/wanted.ts'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/values.tsx'
import { useRefusedAmong, type useVerifications } from '../api/verifications.ts'
import { mergeParts } from '../lib/happened.ts'
import type { VerificationsSearch } from '../search.ts'
import { isFiltered } from './filters.tsx'
import { HappenedTable } from './happened-table.tsx'
import { NoVerifications } from './no-verifications.tsx'

interface EverythingProps {
  readonly appId: string
  readonly search: VerificationsSearch
  readonly wanted: Wanted | null
  readonly query: ReturnType<typeof useVerifications>
}

/** Two lists, read page by page and shown as one. */
export function Everything({ appId, search, wanted, query }: EverythingProps) {
  const refused = useRefusedAmong(appId, search, wanted)
  return (
    <Loaded query={query} loading={<SkeletonRows rows={10} />}>
      {({ pages }) => (
        <Loaded query={refused} loading={<SkeletonRows rows={10} />}>
          {(refusals) => {
            const started = pages.flatMap(({ verifications }) => verifications)
            const searchedTo = pages.at(-1)?.searched_to ?? started.at(-1)?.created_at ?? now()
            const { rows, behind } = mergeParts(
              { rows: started, readTo: query.hasNextPage ? searchedTo : null },
              {
                rows: refusals,
                readTo: refused.hasNextPage ? (refusals.at(-1)?.created_at ?? now()) : null,
              },
            )
            const next = behind === 'refused' ? refused : query
            const pager = {
              hasNextPage: behind !== null,
              isFetchingNextPage: next.isFetchingNextPage,
              fetchNextPage: () => next.fetchNextPage(),
            }
            const isSearching = wanted !== null || isFiltered(search)
            return (
              <>
                {rows.length === 0 ? (
                  <NoVerifications
                    appId={appId}
                    search={search}
                    wanted={wanted}
                    mayBeMore={behind !== null}
                  />
                ) : (
                  <HappenedTable appId={appId} rows={rows} />
                )}
                {(rows.length > 0 || behind !== null) && (
                  <Pages
                    query={pager}
                    shown={rows.length}
                    noun={['row', 'rows']}
                    note={
                      isSearching && behind === 'started' ? (
                        <>
                          looked back to <Time value={searchedTo} />
                        </>
                      ) : undefined
                    }
                  />
                )}
              </>
            )
          }}
        </Loaded>
      )}
    </Loaded>
  )
}

const now = () => new Date().toISOString()
