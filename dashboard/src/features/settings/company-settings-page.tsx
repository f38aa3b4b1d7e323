import { Page } from '#components/ui/page.tsx'

export const CompanySettingsPage = () => (
  <Page title="CompanySettingsPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
