import { Page } from '#components/ui/page.tsx'

export const ProvidersPage = () => (
  <Page title="Providers">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
