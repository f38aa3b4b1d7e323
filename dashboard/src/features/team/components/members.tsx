import type { MemberAnswer, Role } from '@countersign/contract'
import Trash2 from 'lucide-react/icons/trash-2'
import Users from 'lucide-react/icons/users'
import { useState } from 'react'
import { PersonName } from '#components/people/person-name.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Confirm, Question } from '#components/ui/confirm.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Select } from '#components/ui/input.tsx'
import { Table } from '#components/ui/table.tsx'
import { Tooltip } from '#components/ui/tooltip.tsx'
import { Time } from '#components/ui/values.tsx'
import { roles } from '#contract'
import { useMe, usePermission } from '#lib/session.ts'
import { toastProblem } from '#lib/toast.ts'
import { useChangeRole, useRemoveMember } from '../api/members.ts'
import { roleLabels } from '../lib/role-words.ts'

interface MembersProps {
  readonly companyId: string
  readonly members: readonly MemberAnswer[]
}

export function Members({ companyId, members }: MembersProps) {
  return (
    <Card title="Members" isFlush>
      {members.length === 0 ? (
        <Empty title="No members yet" icon={<Users />}>
          Invite the first person. They will see the company as soon as they sign in.
        </Empty>
      ) : (
        <Table
          label="Members"
          rows={members}
          rowKey={({ person_id }) => person_id}
          columns={[
            {
              key: 'person',
              header: 'Person',
              cell: (member) => <PersonName person={member} />,
            },
            {
              key: 'role',
              header: 'Role',
              className: 'min-w-40 sm:w-40',
              cell: (member) => <RoleSelect companyId={companyId} member={member} />,
            },
            {
              key: 'joined',
              header: 'Joined',
              from: 'md',
              cell: ({ joined_at }) => <Time value={joined_at} />,
            },
            {
              key: 'last',
              header: 'Last sign-in',
              from: 'sm',
              cell: ({ last_sign_in_at }) => <Time value={last_sign_in_at} otherwise="never" />,
            },
            {
              key: 'remove',
              header: <span className="sr-only">Actions</span>,
              align: 'end',
              cell: (member) => <Remove companyId={companyId} member={member} />,
            },
          ]}
        />
      )}
    </Card>
  )
}

interface MemberProps {
  readonly companyId: string
  readonly member: MemberAnswer
}

function RoleSelect({ companyId, member }: MemberProps) {
  const { may, reason } = usePermission(companyId, 'owner')
  const me = useMe()
  const change = useChangeRole()
  const [less, setLess] = useState<Role | null>(null)
  const set = (role: Role) =>
    change.mutateAsync({ params: { company_id: companyId, person_id: member.person_id }, body: { role } })
  if (!may) {
    return (
      <Tooltip text={reason ?? ''}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reason must be reachable by keyboard */}
        <span tabIndex={0}>{roleLabels[member.role]}</span>
      </Tooltip>
    )
  }
  return (
    <>
      <Select
        aria-label={`Role of ${member.email}`}
        value={member.role}
        aria-busy={change.isPending || undefined}
        onChange={({ target }) => {
          const role = roles.find((one) => one === target.value)
          if (!role) return
          if (member.person_id === me.person_id && !me.is_operator) setLess(role)
          else void set(role).catch(toastProblem)
        }}
      >
        {roles.map((role) => (
          <option key={role} value={role}>
            {roleLabels[role]}
          </option>
        ))}
      </Select>
      <Question
        isOpen={less !== null}
        onOpenChange={() => setLess(null)}
        title="Change your own role?"
        description="You cannot undo this yourself: another owner has to."
        action={less ? `Become a ${roleLabels[less].toLowerCase()}` : ''}
        onConfirm={async () => less && set(less)}
      />
    </>
  )
}

function Remove({ companyId, member }: MemberProps) {
  const { reason } = usePermission(companyId, 'owner')
  const remove = useRemoveMember()
  const button = (
    <Button size="sm" variant="danger" disabledReason={reason} aria-label={`Remove ${member.email}`}>
      <Trash2 className="sm:hidden" aria-hidden="true" />
      <span className="max-sm:sr-only">Remove</span>
    </Button>
  )
  if (reason) return button
  return (
    <Confirm
      trigger={button}
      title={`Remove ${member.email}?`}
      description="They lose access to the company at once. What they changed stays in the audit trail."
      action="Remove"
      onConfirm={() => remove.mutateAsync({ params: { company_id: companyId, person_id: member.person_id } })}
    />
  )
}
