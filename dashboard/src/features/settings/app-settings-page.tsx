import { Page } from '#components/ui/page.tsx'

export const AppSettingsPage = () => (
  <Page title="AppSettingsPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
