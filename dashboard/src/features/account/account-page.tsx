import { Page } from '#components/ui/page.tsx'

export const AccountPage = () => (
  <Page title="AccountPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
