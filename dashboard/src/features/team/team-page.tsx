import { useParams } from '@tanstack/react-router'
import UserPlus from 'lucide-react/icons/user-plus'
import { Button } from '#components/ui/button.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useCompany } from '#lib/app.ts'
import { usePermission } from '#lib/session.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useMembers } from './api/members.ts'
import { Invitations } from './components/invitations.tsx'
import { InviteDialog } from './components/invite-dialog.tsx'
import { Members } from './components/members.tsx'

export function TeamPage() {
  const { companyId } = useParams({ from: '/shell/c/$companyId/team' })
  const company = useCompany(companyId)
  const query = useMembers(companyId)
  const { reason } = usePermission(companyId, 'owner')
  const [, setOpen] = useOpened('invite')
  return (
    <Page
      title="Team"
      description={`Who works with ${company.name}, and what they can do.`}
      actions={
        <Button variant="primary" disabledReason={reason} onClick={() => setOpen(true)}>
          <UserPlus aria-hidden="true" />
          Invite a person
        </Button>
      }
    >
      <Loaded query={query} loading={<Skeleton className="h-48 w-full" />}>
        {({ members, invitations }) => (
          <>
            <Members companyId={companyId} members={members} />
            <Invitations companyId={companyId} invitations={invitations} />
          </>
        )}
      </Loaded>
      <InviteDialog companyId={companyId} />
    </Page>
  )
}
