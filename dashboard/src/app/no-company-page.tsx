import Users from 'lucide-react/icons/users'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { useMe } from '#lib/session.ts'

export function NoCompanyPage() {
  const me = useMe()
  return (
    <Page title="Welcome">
      <Empty title="You are not in a company yet" icon={<Users />}>
        You are signed in as {me.email}. Ask an owner of your company to invite this address. The company
        appears here once you sign in again.
      </Empty>
    </Page>
  )
}
