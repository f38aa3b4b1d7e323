import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import CircleCheck from 'lucide-react/icons/circle-check'
import { useMemo } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { plural } from '#lib/format.ts'
import { periodLabels, periods, spanOf } from '#lib/period.ts'
import { useNow } from '#lib/use-now.ts'
import { useErrorStats, useKeyNames } from './api/errors.ts'
import { History } from './components/history.tsx'
import { Kinds } from './components/kinds.tsx'
import { LastErrors } from './components/last-errors.tsx'

const clockMs = 60_000

export function ErrorsPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/errors' })
  const search = useSearch({ from: '/shell/a/$appId/errors' })
  const navigate = useNavigate({ from: '/a/$appId/errors' })
  const { period = '24h' } = search
  const now = useNow(clockMs)
  const span = useMemo(() => spanOf(period, now), [period, now])
  const query = useErrorStats(appId, span.from)
  const keyName = useKeyNames(appId)
  return (
    <Page
      title="Errors"
      description="Calls with a key of this app that were answered with an error, by error, endpoint and key."
      actions={
        <Segmented
          label="Period"
          value={period}
          options={periods.map((each) => [each, periodLabels[each]] as const)}
          onChange={(next) =>
            void navigate({ to: '.', search: (before) => ({ ...before, period: next }), replace: true })
          }
        />
      }
    >
      <Card isFlush title="By kind">
        <Loaded query={query} loading={<Skeleton className="mx-4 mb-4 h-72" />}>
          {(stats) =>
            stats.total === 0 ? (
              <Empty title="No errors" icon={<CircleCheck />}>
                {`In the last ${periodLabels[period]} every call with a key of this app succeeded.`}
              </Empty>
            ) : (
              <>
                <div className="px-4 pb-4">
                  <p className="pb-3 text-sm text-muted">{plural(stats.total, 'error')}</p>
                  <History stats={stats} span={span} />
                </div>
                <Kinds appId={appId} kinds={stats.kinds} keyName={keyName} />
              </>
            )
          }
        </Loaded>
      </Card>
      <LastErrors appId={appId} search={search} keyName={keyName} />
    </Page>
  )
}
