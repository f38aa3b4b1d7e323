import { Page } from '#components/ui/page.tsx'

export const VerificationsPage = () => (
  <Page title="VerificationsPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
