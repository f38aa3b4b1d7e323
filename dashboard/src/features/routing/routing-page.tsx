import { Page } from '#components/ui/page.tsx'

export const RoutingPage = () => (
  <Page title="Routing">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
