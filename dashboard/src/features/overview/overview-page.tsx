import { Page } from '#components/ui/page.tsx'

export const OverviewPage = () => (
  <Page title="OverviewPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
