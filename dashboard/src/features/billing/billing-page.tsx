import { getRouteApi, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { Button } from '#components/ui/button.tsx'
import { lazyPart } from '#components/ui/lazy-part.tsx'
import { Page } from '#components/ui/page.tsx'
import { SkeletonChart } from '#components/ui/skeleton.tsx'
import { Tabs } from '#components/ui/tabs.tsx'
import { usePermission } from '#lib/session.ts'
import { useOpened } from '#lib/use-opened.ts'
import { AppSpend } from './components/app-spend.tsx'
import { Balance } from './components/balance.tsx'
import { Ledger } from './components/ledger.tsx'
import { Prices } from './components/prices.tsx'
import { TopUpDialog } from './components/top-up-dialog.tsx'
import { billingTabs } from './search.ts'

/** It has a chart, so it is loaded only when somebody opens it. */
const SpendByDay = lazyPart(
  () => import('./components/spend-by-day.tsx'),
  (module) => module.SpendByDay,
  SkeletonChart,
)

const route = getRouteApi('/shell/c/$companyId/billing')

export function BillingPage() {
  const { companyId } = route.useParams()
  const { tab = 'ledger' } = route.useSearch()
  const navigate = useNavigate()
  const { may, reason } = usePermission(companyId, 'operator')
  const [isToppingUp, setToppingUp] = useOpened('top-up')
  return (
    <Page
      title="Billing"
      description="Each message is charged to the balance when it is sent. If it fails, the price is refunded."
      actions={
        <Button variant="primary" disabledReason={reason} onClick={() => setToppingUp(true)}>
          <Plus aria-hidden="true" />
          Top up
        </Button>
      }
    >
      <Balance companyId={companyId} />
      <Tabs
        key={companyId}
        label="Billing"
        value={tab}
        onChange={(next) =>
          void navigate({
            to: '.',
            search: (before) => ({ ...before, tab: billingTabs.find((one) => one === next) }),
          })
        }
        tabs={[
          { value: 'ledger', label: 'Ledger', content: <Ledger companyId={companyId} /> },
          { value: 'days', label: 'Spent by day', content: <SpendByDay companyId={companyId} /> },
          { value: 'prices', label: 'Price book', content: <Prices /> },
          { value: 'spend', label: 'Spend caps', content: <AppSpend companyId={companyId} /> },
        ]}
      />
      {may && <TopUpDialog companyId={companyId} isOpen={isToppingUp} onOpenChange={setToppingUp} />}
    </Page>
  )
}
