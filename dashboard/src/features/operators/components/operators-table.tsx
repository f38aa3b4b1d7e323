import { PersonName } from '#components/people/person-name.tsx'
import { Button } from '#components/ui/button.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { useDemoteOperator, useRemoveOperator } from '../api/operators.ts'

type Operator = AnswerOf<'listOperators'>['operators'][number]

const columns: readonly Column<Operator>[] = [
  { key: 'person', header: 'Person', cell: (operator) => <PersonName person={operator} /> },
  {
    key: 'since',
    header: 'Known since',
    from: 'md',
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    key: 'last',
    header: 'Last sign-in',
    from: 'sm',
    cell: ({ last_sign_in_at }) => <Time value={last_sign_in_at} otherwise="never" />,
  },
  {
    key: 'actions',
    header: <span className="sr-only">Actions</span>,
    align: 'end',
    cell: (operator) => <Actions operator={operator} />,
  },
]

export const OperatorsTable = ({ operators }: { readonly operators: readonly Operator[] }) => (
  <Table label="Operators" rows={operators} rowKey={({ person_id }) => person_id} columns={columns} />
)

function Actions({ operator: { email, person_id } }: { readonly operator: Operator }) {
  const demote = useDemoteOperator()
  const remove = useRemoveOperator()
  const params = { person_id }
  return (
    <span className="flex justify-end gap-2 max-sm:flex-col">
      <Confirm
        trigger={
          <Button size="sm" aria-label={`Demote ${email}`}>
            Demote
          </Button>
        }
        title={`Demote ${email}?`}
        description="They lose the operator’s rights at once. Their roles in companies stay the same."
        action="Demote"
        onConfirm={() => demote.mutateAsync({ params })}
      />
      <Confirm
        trigger={
          <Button size="sm" variant="danger" aria-label={`Remove ${email}`}>
            Remove
          </Button>
        }
        title={`Remove ${email}?`}
        description="They are signed out everywhere and removed from every company; their passkeys and links are deleted. What they changed stays in the audit trail."
        action="Remove"
        onConfirm={() => remove.mutateAsync({ params })}
      />
    </span>
  )
}
