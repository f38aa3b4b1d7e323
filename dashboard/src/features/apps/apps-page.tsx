import { Page } from '#components/ui/page.tsx'

export const AppsPage = () => (
  <Page title="AppsPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
