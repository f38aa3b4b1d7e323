import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import Rocket from 'lucide-react/icons/rocket'
import ShieldX from 'lucide-react/icons/shield-x'
import { useMemo } from 'react'
import { useRefusalStats } from '#components/refusals/query.ts'
import { buttonClass } from '#components/ui/button.tsx'
import { ChannelSelect } from '#components/ui/channel-select.tsx'
import { CountrySelect } from '#components/ui/country-select.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { plural } from '#lib/format.ts'
import { periodLabels, periods, type Span, spanOf } from '#lib/period.ts'
import { useNow } from '#lib/use-now.ts'
import { useStats } from './api/stats.ts'
import { Attention } from './components/attention.tsx'
import { Breakdown } from './components/breakdown.tsx'
import { Conversion } from './components/conversion.tsx'
import { KeyFigures } from './components/key-figures.tsx'
import { Messages } from './components/messages.tsx'
import { Ways } from './components/ways.tsx'
import type { OverviewSearch } from './search.ts'

const clockMs = 60_000

export function OverviewPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/overview' })
  const { period = '7d', channel, country } = useSearch({ from: '/shell/a/$appId/overview' })
  const now = useNow(clockMs)
  const span = useMemo(() => spanOf(period, now), [period, now])
  const filter = { channel, country }
  const current = useStats(appId, { from: span.from, by: span.by, ...filter })
  const isFiltered = channel !== undefined || country !== undefined

  return (
    <Page title="Overview" actions={<Filters search={{ period, channel, country }} />}>
      <Attention appId={appId} />
      <Loaded query={current} loading={<Skeleton className="h-96 w-full" />}>
        {(stats) =>
          stats.total.sends === 0 && !isFiltered ? (
            <NothingSent appId={appId} period={periodLabels[period]} span={span} />
          ) : (
            <>
              <KeyFigures appId={appId} total={stats.total} span={span} filter={filter} />
              <div className="grid gap-4 xl:grid-cols-[3fr_2fr]">
                <Messages appId={appId} span={span} filter={filter} />
                <Conversion stats={stats} span={span} />
              </div>
              <div className="grid gap-4 min-[1800px]:grid-cols-2">
                <Breakdown appId={appId} by="channel" span={span} filter={filter} />
                <Breakdown appId={appId} by="country" span={span} filter={filter} />
              </div>
              {!isFiltered && <Ways appId={appId} span={span} />}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function Filters({ search }: { readonly search: Required<OverviewSearch> }) {
  const navigate = useNavigate({ from: '/a/$appId/overview' })
  const set = (change: OverviewSearch) =>
    void navigate({ to: '.', search: (current) => ({ ...current, ...change }), replace: true })
  return (
    <>
      <ChannelSelect value={search.channel} onChange={(channel) => set({ channel })} />
      <CountrySelect value={search.country} onChange={(country) => set({ country })} className="w-44" />
      <Segmented
        label="Period"
        value={search.period ?? '7d'}
        options={periods.map((period) => [period, periodLabels[period]] as const)}
        onChange={(period) => set({ period: period === '7d' ? undefined : period })}
      />
    </>
  )
}

interface NothingSentProps {
  readonly appId: string
  readonly period: string
  readonly span: Span
}

function NothingSent({ appId, period, span }: NothingSentProps) {
  const refused = useRefusalStats(appId, span).data?.total.count ?? 0
  if (refused > 0) return <AllRefused appId={appId} period={period} count={refused} />
  return (
    <Empty
      className="rounded-lg border bg-surface"
      icon={<Rocket />}
      title={`Nothing was sent in the last ${period}`}
      action={
        <Link to="/a/$appId/start" params={{ appId }} className={buttonClass({ variant: 'primary' })}>
          Send a verification
        </Link>
      }
    >
      Figures appear here after the first send: how many were approved, how fast, on which channel and at what
      cost.
    </Empty>
  )
}

interface AllRefusedProps {
  readonly appId: string
  readonly period: string
  readonly count: number
}

const AllRefused = ({ appId, period, count }: AllRefusedProps) => (
  <Empty
    className="rounded-lg border bg-surface"
    icon={<ShieldX />}
    title={`Every send in the last ${period} was refused`}
    action={
      <Link
        to="/a/$appId/verifications"
        params={{ appId }}
        search={{ view: 'refused' }}
        className={buttonClass({ variant: 'primary' })}
      >
        See why
      </Link>
    }
  >
    {`${plural(count, 'send was', 'sends were')} refused.`}
  </Empty>
)
