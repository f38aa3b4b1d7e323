import { Page } from '#components/ui/page.tsx'
import { useMe } from '#lib/session.ts'
import { useChosenZone } from '#lib/time-zone.ts'
import { NameCard } from './components/name-card.tsx'
import { PasskeysCard } from './components/passkeys-card.tsx'
import { SessionsCard } from './components/sessions-card.tsx'
import { TimeZoneCard } from './components/time-zone-card.tsx'

export function AccountPage() {
  const me = useMe()
  // The times of the sessions follow the choice at once.
  useChosenZone()
  return (
    <Page title="Your account" description={`Signed in as ${me.email}.`}>
      <NameCard />
      <TimeZoneCard />
      <PasskeysCard />
      <SessionsCard />
    </Page>
  )
}
