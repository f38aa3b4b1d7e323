import { Page } from '#components/ui/page.tsx'

export const TeamPage = () => (
  <Page title="TeamPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
