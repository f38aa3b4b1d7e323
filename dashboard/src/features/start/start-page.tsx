import { Page } from '#components/ui/page.tsx'

export const StartPage = () => (
  <Page title="StartPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
