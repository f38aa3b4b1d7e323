import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Page } from '#components/ui/page.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/values.tsx'
import { ApiError } from '#lib/api-error.ts'
import { useVerifications } from './api/verifications.ts'
import { Filters, isFiltered } from './components/filters.tsx'
import { Lookup } from './components/lookup.tsx'
import { NoVerifications } from './components/no-verifications.tsx'
import { VerificationsTable } from './components/verifications-table.tsx'

const isInvalidRecipient = (error: unknown) =>
  error instanceof ApiError && error.type === 'InvalidRecipientError'

export function VerificationsPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/verifications' })
  const search = useSearch({ from: '/shell/a/$appId/verifications' })
  const [recipient, setRecipient] = useState<string | null>(null)
  const query = useVerifications(appId, search, recipient)
  const isSearching = recipient !== null || isFiltered(search)
  return (
    <Page
      title="Verifications"
      description="Every attempt to prove that a person controls a recipient, newest first."
    >
      <div className="flex flex-col gap-2">
        <Lookup
          appId={appId}
          recipient={recipient}
          onRecipient={setRecipient}
          isInvalid={isInvalidRecipient(query.error)}
        />
        <Filters search={search} />
      </div>
      {isInvalidRecipient(query.error) ? null : (
        <Card isFlush>
          <Loaded query={query} loading={<SkeletonRows rows={10} />}>
            {({ pages }) => {
              const rows = pages.flatMap(({ verifications }) => verifications)
              const searchedTo = pages.at(-1)?.searched_to ?? null
              return (
                <>
                  {rows.length === 0 ? (
                    <NoVerifications
                      appId={appId}
                      search={search}
                      recipient={recipient}
                      mayBeMore={query.hasNextPage}
                    />
                  ) : (
                    <VerificationsTable appId={appId} rows={rows} />
                  )}
                  {(rows.length > 0 || query.hasNextPage) && (
                    <Pages
                      query={query}
                      shown={rows.length}
                      noun={['verification', 'verifications']}
                      note={
                        isSearching && query.hasNextPage && searchedTo ? (
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
        </Card>
      )}
    </Page>
  )
}
