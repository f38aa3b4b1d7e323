import { Link } from '@tanstack/react-router'
import { Badge } from '#components/ui/badge.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { Time } from '#components/ui/values.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { useInstallation } from './api/installation.ts'
import { AllBlocksCard } from './components/blocks-card.tsx'
import { CompaniesCard } from './components/companies-card.tsx'
import { HealthCard } from './components/health-card.tsx'

/** Where an operator begins the day. */
export function HomePage() {
  const query = useInstallation()
  return (
    <Page title="Installation" description="All companies, all accounts, and what needs attention now.">
      <Loaded query={query} loading={<SkeletonRows rows={8} />}>
        {({ companies, attention }) => (
          <>
            <Attention items={attention} />
            <CompaniesCard companies={companies} />
          </>
        )}
      </Loaded>
      {/* Side by side, neither waits for the other. */}
      <div className="grid gap-4 xl:grid-cols-2 xl:*:animate-none">
        <HealthCard />
        <AllBlocksCard />
      </div>
    </Page>
  )
}

type Item = AnswerOf<'getInstallation'>['attention'][number]

/** Nothing is drawn while all is well. */
function Attention({ items }: { readonly items: readonly Item[] }) {
  if (items.length === 0) return null
  return (
    <section aria-label="Needs attention" className="overflow-hidden rounded-lg border bg-surface">
      <ul>
        {items.map((item) => (
          <li
            key={`${item.kind} ${item.subject}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2.5 text-sm last:border-b-0"
          >
            <Badge tone={item.severity === 'critical' ? 'bad' : 'warn'}>
              {item.severity === 'critical' ? 'Critical' : 'Warning'}
            </Badge>
            <span className="min-w-0 flex-1 basis-64">{item.message}</span>
            {item.since && (
              <span className="text-xs text-faint">
                <Time value={item.since} />
              </span>
            )}
            <Remedy item={item} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A link to where something can be done about a problem. For IP lists and partitions no page can. */
function Remedy({ item: { kind, company_id } }: { readonly item: Item }) {
  if (company_id) {
    const to = kind === 'low_balance' ? '/c/$companyId/billing' : '/c/$companyId/apps'
    return (
      <Link to={to} params={{ companyId: company_id }} className={textLink}>
        {kind === 'low_balance' ? 'Open billing' : 'Open the company'}
      </Link>
    )
  }
  return kind === 'failing_provider' ? (
    <Link to="/operator/providers" className={textLink}>
      Open the accounts
    </Link>
  ) : null
}
