import { Page } from '#components/ui/page.tsx'

export const ChannelsPage = () => (
  <Page title="Channels">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
