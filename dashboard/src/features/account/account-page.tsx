import { Page } from '#components/ui/page.tsx'
import { useMe } from '#lib/session.ts'
import { NameCard } from './components/name-card.tsx'
import { PasskeysCard } from './components/passkeys-card.tsx'
import { SessionsCard } from './components/sessions-card.tsx'

export function AccountPage() {
  const me = useMe()
  return (
    <Page title="Your account" description={`Signed in as ${me.email}.`}>
      <NameCard />
      <PasskeysCard />
      <SessionsCard />
    </Page>
  )
}
