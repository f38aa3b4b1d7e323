import { Page } from '#components/ui/page.tsx'

export const EventsPage = () => (
  <Page title="Events">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
