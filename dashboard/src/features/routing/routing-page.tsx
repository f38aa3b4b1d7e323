import { useParams } from '@tanstack/react-router'
import { lazyPart } from '#components/ui/lazy-part.tsx'
import { Page } from '#components/ui/page.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useApp } from '#lib/app.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import { AccountChoice } from './components/account-choice.tsx'
import { CountryOrders } from './components/country-orders.tsx'
import { DefaultOrder } from './components/default-order.tsx'
import { PreviewCard } from './components/preview-card.tsx'

/** Loaded later, since it is further down the page. */
const RoutesCard = lazyPart(
  () => import('./components/routes-card.tsx'),
  (module) => module.RoutesCard,
  () => <SkeletonRows />,
)

export function RoutingPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/routing' })
  const app = useApp(appId)
  return (
    <Page
      title={settingLabels.routing}
      description="In which order channels are tried, which account carries a message, and what a send would do now."
    >
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem] xl:grid-cols-[minmax(0,1fr)_25rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <DefaultOrder key={appId} app={app} />
          <CountryOrders app={app} />
          <AccountChoice key={`accounts ${appId}`} app={app} />
          <RoutesCard app={app} />
        </div>
        {/* Beside the routes, it does not wait for them. */}
        <div className="min-w-0 lg:sticky lg:top-5 lg:animate-none">
          <PreviewCard key={appId} app={app} />
        </div>
      </div>
    </Page>
  )
}
