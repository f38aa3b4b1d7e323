import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { RecipientForm } from '#components/recipient/recipient-form.tsx'
import { isUnreadable, useWanted, type Wanted } from '#components/recipient/wanted.ts'
import { Card } from '#components/ui/card.tsx'
import { DownloadButton } from '#components/ui/download-button.tsx'
import { Page } from '#components/ui/page.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/values.tsx'
import { VerificationsTable } from '#components/verifications/verifications-table.tsx'
import { refusalsFile, showsRefusals, useVerifications, verificationsFile } from './api/verifications.ts'
import { Everything } from './components/everything.tsx'
import { Filters, isFiltered } from './components/filters.tsx'
import { NoVerifications } from './components/no-verifications.tsx'
import { Refused } from './components/refused.tsx'
import type { VerificationsSearch } from './search.ts'

export function VerificationsPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/verifications' })
  const search = useSearch({ from: '/shell/a/$appId/verifications' })
  const navigate = useNavigate({ from: '/a/$appId/verifications' })
  const { view = 'all' } = search
  return (
    <Page
      title="Verifications"
      description={descriptions[view]}
      actions={
        <>
          <Files appId={appId} search={search} />
          <Segmented
            label="Show"
            value={view}
            options={[
              ['all', 'All'],
              ['started', 'Started'],
              ['refused', 'Refused'],
            ]}
            onChange={(next) =>
              void navigate({
                to: '.',
                search: (current) => ({
                  ...(next === 'refused' || view === 'refused' ? filtersOfBoth(current) : current),
                  view: next === 'all' ? undefined : next,
                }),
                // The list of refusals has no search for a person.
                ...(next === 'refused' ? {} : { state: true }),
              })
            }
          />
        </>
      }
    >
      {view === 'refused' ? (
        <>
          <Filters search={search} />
          <Refused appId={appId} search={search} />
        </>
      ) : (
        <Started key={appId} appId={appId} search={search} />
      )}
    </Page>
  )
}

/** The filters that refusals have too. */
const filtersOfBoth = ({ country, from, to }: VerificationsSearch) => ({ country, from, to })

const descriptions = {
  all: 'Every attempt to prove that a person controls a recipient, and what was refused, newest first.',
  started: 'Every attempt to prove that a person controls a recipient, newest first.',
  refused: 'Sends and resends that were refused, and why, newest first.',
} as const

interface PartProps {
  readonly appId: string
  readonly search: VerificationsSearch
}

/** Verifications and refusals have different columns, so the list of both has a file for each. */
function Files({ appId, search }: PartProps) {
  const [wanted] = useWanted()
  const isBoth = search.view === undefined && showsRefusals(search)
  // The address of a file contains no recipient.
  const disabledReason = wanted
    ? 'A file cannot be limited to one recipient. Clear the search first.'
    : undefined
  return (
    <>
      {search.view !== 'refused' && (
        <DownloadButton
          path={verificationsFile(appId, search)}
          name="verifications.csv"
          label={isBoth ? 'CSV of started' : 'CSV'}
          disabledReason={disabledReason}
        />
      )}
      {(search.view === 'refused' || isBoth) && (
        <DownloadButton
          path={refusalsFile(appId, search)}
          name="refusals.csv"
          label={isBoth ? 'CSV of refused' : 'CSV'}
          disabledReason={disabledReason}
        />
      )}
    </>
  )
}

function Started({ appId, search }: PartProps) {
  const navigate = useNavigate()
  const [wanted, setWanted] = useWanted()
  const query = useVerifications(appId, search, wanted)
  const onSearch = (next: Wanted | null) => {
    if (!next?.recipient.startsWith('otp_')) return setWanted(next)
    void navigate({ to: '/a/$appId/verifications/$otpId', params: { appId, otpId: next.recipient } })
  }
  const isSearching = wanted !== null || isFiltered(search)
  return (
    <>
      <div className="flex flex-col gap-2">
        <RecipientForm
          label="Verification id, phone number or email address"
          placeholder="otp_…, number or email"
          wanted={wanted}
          onSearch={onSearch}
          isUnreadable={isUnreadable(query.error)}
        />
        <Filters search={search} />
      </div>
      {isUnreadable(query.error) ? null : (
        <Card isFlush>
          {search.view === undefined ? (
            <Everything appId={appId} search={search} wanted={wanted} query={query} />
          ) : (
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
                        wanted={wanted}
                        mayBeMore={query.hasNextPage}
                      />
                    ) : (
                      <VerificationsTable rows={rows} appOf={() => appId} />
                    )}
                    {(rows.length > 0 || query.hasNextPage) && (
                      <Pages
                        query={query}
                        shown={rows.length}
                        noun={['verification', 'verifications']}
                        note={
                          isSearching && query.hasNextPage && searchedTo ? (
                            <>
                              searched back to <Time value={searchedTo} />
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
        </Card>
      )}
    </>
  )
}
