import { Page } from '#components/ui/page.tsx'

export const BillingPage = () => (
  <Page title="Billing">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
