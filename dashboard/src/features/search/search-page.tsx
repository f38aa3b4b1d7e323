import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import UserSearch from 'lucide-react/icons/user-search'
import { useState } from 'react'
import { RefusalsTable } from '#components/refusals/refusals-table.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { VerificationsTable } from '#components/verifications/verifications-table.tsx'
import { ApiError } from '#lib/api-error.ts'
import { appsQuery } from '#lib/app.ts'
import { usePerson } from './api/person.ts'
import { PersonForm, type Wanted } from './components/person-form.tsx'

const isUnreadable = (error: unknown) => error instanceof ApiError && error.type === 'InvalidRecipientError'

/** Whoever comes from the command palette brings the person along, past the address of the page. */
export function SearchPage() {
  const { companyId } = useParams({ from: '/shell/c/$companyId/search' })
  const { recipient = '' } = useLocation({ select: ({ state }) => state })
  return <Search key={`${companyId} ${recipient}`} companyId={companyId} recipient={recipient} />
}

function Search({ companyId, recipient }: { readonly companyId: string; readonly recipient: string }) {
  const [wanted, setWanted] = useState<Wanted | null>(recipient ? { recipient, country: undefined } : null)
  const query = usePerson(companyId, wanted)
  return (
    <Page
      title="Find a person"
      description="What one person was sent, and what was refused to them, in all apps of the company."
    >
      <PersonForm recipient={recipient} onSearch={setWanted} isUnreadable={isUnreadable(query.error)} />
      {wanted === null || isUnreadable(query.error) ? null : (
        <Loaded
          query={query}
          loading={
            <Card isFlush>
              <SkeletonRows rows={6} />
            </Card>
          }
        >
          {({ pages }) => <Found companyId={companyId} query={query} pages={pages} />}
        </Loaded>
      )}
    </Page>
  )
}

type PersonQuery = ReturnType<typeof usePerson>
type FoundPages = NonNullable<PersonQuery['data']>['pages']

interface FoundProps {
  readonly companyId: string
  readonly query: PersonQuery
  readonly pages: FoundPages
}

function Found({ companyId, query, pages }: FoundProps) {
  const apps = useQuery(appsQuery(companyId)).data?.apps ?? []
  const names = new Map(apps.map(({ app_id, name }) => [app_id, name]))
  const nameOf = ({ app_id }: { readonly app_id: string }) => names.get(app_id) ?? app_id
  const appOf = ({ app_id }: { readonly app_id: string }) => app_id
  const verifications = pages.flatMap((page) => page.verifications)
  const refusals = pages.flatMap((page) => page.refusals)
  if (verifications.length + refusals.length === 0) {
    return (
      <Empty title="Nobody is known by that" icon={<UserSearch />} className="rounded-lg border bg-surface">
        Nothing that is still kept was sent or refused to this recipient. Of many refusals at once only the
        first ones are kept with their recipient.
      </Empty>
    )
  }
  return (
    <>
      {verifications.length > 0 && (
        <Card isFlush title="Verifications">
          <VerificationsTable rows={verifications} appOf={appOf} nameOf={nameOf} />
        </Card>
      )}
      {refusals.length > 0 && (
        <Card isFlush title="Refused">
          <RefusalsTable rows={refusals} appOf={appOf} nameOf={nameOf} />
        </Card>
      )}
      {query.hasNextPage && (
        <Pages query={query} shown={verifications.length + refusals.length} noun={['row', 'rows']} />
      )}
    </>
  )
}
