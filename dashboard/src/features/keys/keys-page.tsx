import { Page } from '#components/ui/page.tsx'

export const KeysPage = () => (
  <Page title="API Keys">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
