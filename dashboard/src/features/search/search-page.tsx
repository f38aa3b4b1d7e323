import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import UserSearch from 'lucide-react/icons/user-search'
import { RecipientForm } from '#components/recipient/recipient-form.tsx'
import { isUnreadable, useWanted, type Wanted } from '#components/recipient/wanted.ts'
import { RefusalsTable } from '#components/refusals/refusals-table.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { Exception } from '#components/verifications/exception.tsx'
import { VerificationsTable } from '#components/verifications/verifications-table.tsx'
import { appsQuery } from '#lib/app.ts'
import { useOpenVerification } from './api/open-verification.ts'
import { usePerson } from './api/person.ts'
import { ExceptActions } from './components/except-actions.tsx'
import { Exceptions } from './components/exceptions.tsx'
import type { PersonSearch } from './search.ts'

/** Not every text that begins like an id: keys do too, and a key must not be put into an address. */
const verificationId = /^otp_[\da-z]{26}$/

/** The command palette, and the way back from a verification, pass on the recipient to look for. */
export function SearchPage() {
  const { companyId } = useParams({ from: '/shell/c/$companyId/search' })
  const { problem } = useSearch({ from: '/shell/c/$companyId/search' })
  const [wanted, setWanted] = useWanted()
  const query = usePerson(companyId, wanted, problem)
  const openVerification = useOpenVerification()
  return (
    <Page
      title="Find a person"
      description="What one person was sent, and which sends were refused, in all apps of the company."
    >
      <div className="flex flex-col gap-2">
        <RecipientForm
          key={companyId}
          label="A whole phone number or email address, or a verification id"
          placeholder="Number, email or otp_…"
          wanted={wanted}
          onSearch={(next) =>
            next && verificationId.test(next.recipient) ? openVerification(next.recipient) : setWanted(next)
          }
          isUnreadable={isUnreadable(query.error)}
        />
        {wanted && <ProblemFilter problem={problem} />}
      </div>
      {wanted === null && <HowToFind />}
      {wanted === null && <Exceptions companyId={companyId} />}
      {wanted === null || isUnreadable(query.error) ? null : (
        <Loaded
          query={query}
          loading={
            <Card isFlush>
              <SkeletonRows rows={6} />
            </Card>
          }
        >
          {({ pages }) => (
            <Found companyId={companyId} wanted={wanted} problem={problem} query={query} pages={pages} />
          )}
        </Loaded>
      )}
    </Page>
  )
}

const HowToFind = () => (
  <Empty title="“I didn’t get a code”" icon={<UserSearch />} className="rounded-lg border bg-surface">
    Ask for the number or address and type it as they say it: you see every code that was sent there, whether
    it arrived, and what was refused and why.
  </Empty>
)

const problems = [
  ['all', 'Everything'],
  ['failed_delivery', 'Failed delivery'],
  ['error', 'Errors'],
  ['refusal', 'Refused'],
] as const

/** The filter is kept in the address; the recipient is not. */
function ProblemFilter({ problem }: Pick<PersonSearch, 'problem'>) {
  const navigate = useNavigate({ from: '/c/$companyId/search' })
  return (
    <div>
      <Segmented
        label="Show"
        value={problem ?? 'all'}
        options={problems}
        onChange={(next) =>
          void navigate({
            to: '.',
            search: { problem: next === 'all' ? undefined : next },
            state: true,
            replace: true,
          })
        }
      />
    </div>
  )
}

type PersonQuery = ReturnType<typeof usePerson>
type FoundPages = NonNullable<PersonQuery['data']>['pages']

interface FoundProps {
  readonly companyId: string
  readonly wanted: Wanted
  readonly problem: PersonSearch['problem']
  readonly query: PersonQuery
  readonly pages: FoundPages
}

function Found({ companyId, wanted, problem, query, pages }: FoundProps) {
  const apps = useQuery(appsQuery(companyId)).data?.apps ?? []
  const names = new Map(apps.map(({ app_id, name }) => [app_id, name]))
  const nameOf = ({ app_id }: { readonly app_id: string }) => names.get(app_id) ?? app_id
  const appOf = ({ app_id }: { readonly app_id: string }) => app_id
  const verifications = pages.flatMap((page) => page.verifications)
  const refusals = pages.flatMap((page) => page.refusals)
  const exception = pages[0]?.exception ?? null
  const person = (
    <>
      <Exception exception={exception} />
      <ExceptActions companyId={companyId} wanted={wanted} exception={exception} />
    </>
  )
  if (verifications.length + refusals.length === 0 && problem) {
    return (
      <>
        <Empty title="No matches" icon={<UserSearch />} className="rounded-lg border bg-surface">
          No stored attempt for this recipient went wrong in that way.
        </Empty>
        {person}
      </>
    )
  }
  if (verifications.length + refusals.length === 0) {
    return (
      <>
        <Empty title="Nothing was found" icon={<UserSearch />} className="rounded-lg border bg-surface">
          No send to this recipient is on record. Check the number, and see on the app’s Errors page whether
          its calls arrive. If many sends are refused at once, only the first are stored with their recipient.
        </Empty>
        {person}
      </>
    )
  }
  return (
    <>
      {person}
      {verifications.length > 0 && (
        <Card isFlush title="Verifications">
          <VerificationsTable rows={verifications} appOf={appOf} nameOf={nameOf} />
        </Card>
      )}
      {refusals.length > 0 && (
        <Card isFlush title="Refused" description="Why, as it was at that moment.">
          <RefusalsTable rows={refusals} appOf={appOf} nameOf={nameOf} />
        </Card>
      )}
      {query.hasNextPage && (
        <Pages query={query} shown={verifications.length + refusals.length} noun={['row', 'rows']} />
      )}
    </>
  )
}
