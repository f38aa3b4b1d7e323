import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '#components/ui/lazy-part.tsx'
import { Page } from '#components/ui/page.tsx'
import { SkeletonChart, SkeletonRows } from '#components/ui/skeleton.tsx'
import { Tabs } from '#components/ui/tabs.tsx'
import type { Done } from './components/act.tsx'
import { BlocksCard } from './components/blocks-card.tsx'
import { GeoCard } from './components/geo-card.tsx'
import { GuardFigures } from './components/guard-figures.tsx'
import { IpSourcesCard } from './components/ip-sources-card.tsx'
import { PumpingCard } from './components/pumping-card.tsx'
import { guardTabs } from './search.ts'

/** Loaded on demand: it is the largest part of the page, and not its first tab. */
const RulesPanel = lazyPart(
  () => import('./components/rules-panel.tsx'),
  (module) => module.RulesPanel,
  () => <SkeletonRows />,
)

/** It has charts, so it is loaded only when somebody opens it. */
const HistoryPanel = lazyPart(
  () => import('./components/history-panel.tsx'),
  (module) => module.HistoryPanel,
  SkeletonChart,
)

const DebtCard = lazyPart(
  () => import('./components/debt-card.tsx'),
  (module) => module.DebtCard,
  SkeletonChart,
)

const LimitsPanel = lazyPart(
  () => import('./components/limits-panel.tsx'),
  (module) => module.LimitsPanel,
  () => <SkeletonRows />,
)

const SpendPanel = lazyPart(
  () => import('#components/spend/spend-panel.tsx'),
  (module) => module.SpendPanel,
  () => <SkeletonRows />,
)

const route = getRouteApi('/shell/a/$appId/guard')

export function GuardPage() {
  const { appId } = route.useParams()
  return (
    <Page
      title="Guard"
      description="What decides whether a send is allowed: country, address, limits, and what happened to earlier messages."
    >
      <GuardFigures appId={appId} />
      <GuardTabs key={appId} appId={appId} />
    </Page>
  )
}

function GuardTabs({ appId }: { readonly appId: string }) {
  const { tab = 'pumping' } = route.useSearch()
  const navigate = useNavigate()
  const [done, setDone] = useState<Done | null>(null)
  return (
    <Tabs
      label="Guard"
      value={tab}
      onChange={(next) =>
        void navigate({
          to: '.',
          search: (before) => ({ ...before, tab: guardTabs.find((one) => one === next) }),
        })
      }
      tabs={[
        {
          value: 'pumping',
          label: 'Pumping',
          content: (
            <div className="flex flex-col gap-5">
              <BlocksCard appId={appId} done={done} onDone={setDone} />
              <DebtCard appId={appId} />
              <PumpingCard appId={appId} />
            </div>
          ),
        },
        { value: 'countries', label: 'Countries', content: <GeoCard appId={appId} /> },
        { value: 'limits', label: 'Limits', content: <LimitsPanel appId={appId} /> },
        { value: 'spend', label: 'Spend', content: <SpendPanel appId={appId} /> },
        { value: 'addresses', label: 'IP lists', content: <IpSourcesCard /> },
        { value: 'rules', label: 'Your rules', content: <RulesPanel appId={appId} /> },
        { value: 'history', label: 'History', content: <HistoryPanel appId={appId} /> },
      ]}
    />
  )
}
