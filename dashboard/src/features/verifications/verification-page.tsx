import { Page } from '#components/ui/page.tsx'

export const VerificationPage = () => (
  <Page title="VerificationPage">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
