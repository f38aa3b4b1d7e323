import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { usePermission } from '#lib/session.ts'
import { useWithdrawInvitation } from '../api/members.ts'
import { roleLabels } from '../lib/role-words.ts'

type Invitation = AnswerOf<'listMembers'>['invitations'][number]

interface InvitationsProps {
  readonly companyId: string
  readonly invitations: readonly Invitation[]
}

export function Invitations({ companyId, invitations }: InvitationsProps) {
  if (invitations.length === 0) return null
  return (
    <Card
      title="Invited"
      description="Anyone who signs in with one of these addresses before it expires joins the company."
      isFlush
    >
      <Table
        label="Invitations"
        rows={invitations}
        rowKey={({ invitation_id }) => invitation_id}
        columns={[
          {
            key: 'email',
            header: 'Email address',
            cell: ({ email, role }) => (
              <span className="flex flex-col py-0.5">
                <span className="[overflow-wrap:anywhere]">{email}</span>
                <span className="text-xs text-faint sm:hidden">{roleLabels[role]}</span>
              </span>
            ),
          },
          { key: 'role', header: 'Role', from: 'sm', cell: ({ role }) => roleLabels[role] },
          {
            key: 'expires',
            header: 'Valid until',
            from: 'sm',
            cell: ({ expires_at }) => <Time value={expires_at} />,
          },
          {
            key: 'withdraw',
            header: <span className="sr-only">Actions</span>,
            align: 'end',
            cell: (invitation) => <Withdraw companyId={companyId} invitation={invitation} />,
          },
        ]}
      />
    </Card>
  )
}

interface WithdrawProps {
  readonly companyId: string
  readonly invitation: Invitation
}

function Withdraw({ companyId, invitation }: WithdrawProps) {
  const { reason } = usePermission(companyId, 'owner')
  const withdraw = useWithdrawInvitation()
  const button = (
    <Button
      size="sm"
      variant="danger"
      disabledReason={reason}
      aria-label={`Withdraw the invitation for ${invitation.email}`}
    >
      Withdraw
    </Button>
  )
  if (reason) return button
  return (
    <Confirm
      trigger={button}
      title="Withdraw the invitation?"
      description={`Signing in with ${invitation.email} will no longer let them in.`}
      action="Withdraw"
      onConfirm={() =>
        withdraw.mutateAsync({
          params: { company_id: companyId, invitation_id: invitation.invitation_id },
        })
      }
    />
  )
}
