import { Page } from '#components/ui/page.tsx'

export const GuardPage = () => (
  <Page title="Guard">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
