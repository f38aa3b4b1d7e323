import { useParams } from '@tanstack/react-router'
import { CopyText } from '#components/ui/copy.tsx'
import { Page } from '#components/ui/page.tsx'
import { useApp } from '#lib/app.ts'
import { AppEndCard } from './components/app-end-card.tsx'
import { CodesCard } from './components/codes-card.tsx'
import { EmailCard } from './components/email-card.tsx'
import { NameCard } from './components/name-card.tsx'
import { NumberCard } from './components/number-card.tsx'
import { ProofCard } from './components/proof-card.tsx'
import { TwilioCard } from './components/twilio-card.tsx'

export function AppSettingsPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/settings' })
  const app = useApp(appId)
  return (
    <Page
      title="Settings"
      description={<CopyText text={app.app_id} label="Copy the app id" className="px-0" />}
    >
      <NameCard key={`name ${appId}`} app={app} />
      <CodesCard key={`codes ${appId}`} app={app} />
      <NumberCard key={`number ${appId}`} app={app} />
      <EmailCard key={`email ${appId}`} app={app} />
      <ProofCard key={`proof ${appId}`} app={app} />
      <TwilioCard app={app} />
      <AppEndCard app={app} />
    </Page>
  )
}
