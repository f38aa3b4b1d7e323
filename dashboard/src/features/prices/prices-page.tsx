import { Page } from '#components/ui/page.tsx'

export const PricesPage = () => (
  <Page title="Price book">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
