import Users from 'lucide-react/icons/users'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { useMe } from '#lib/session.ts'

export function NoCompanyPage() {
  const me = useMe()
  return (
    <Page title="Welcome">
      <Empty title="You are in no company yet" icon={<Users />}>
        You are signed in as {me.email}. Ask an owner of your company to invite this address; the company is
        here as soon as you sign in again.
      </Empty>
    </Page>
  )
}
