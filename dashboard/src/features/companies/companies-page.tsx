import { Page } from '#components/ui/page.tsx'

export const CompaniesPage = () => (
  <Page title="CompaniesPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
