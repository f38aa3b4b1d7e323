import { useParams } from '@tanstack/react-router'
import { SignatureCard } from '#components/endpoints/signature-card.tsx'
import { Page } from '#components/ui/page.tsx'
import { KeysCard } from './components/keys-card.tsx'
import { WebhookCard } from './components/webhook-card.tsx'

export function KeysPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/keys' })
  return (
    <Page
      title="API Keys"
      description="The keys that call the service for this app, and the address it calls back."
    >
      <KeysCard appId={appId} />
      <WebhookCard appId={appId} />
      <SignatureCard />
    </Page>
  )
}
