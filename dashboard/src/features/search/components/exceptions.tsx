import type { ShownException } from '@countersign/contract'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { nameColumn, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import { usePermission } from '#lib/session.ts'
import { useExcept, useExceptions } from '../api/exceptions.ts'

/** Recipients that are blocked or allowed past the guard. Most companies have none, and see nothing of it. */
export function Exceptions({ companyId }: { readonly companyId: string }) {
  const query = useExceptions(companyId)
  const { lift } = useExcept(companyId, null)
  const { reason } = usePermission(companyId, 'developer')
  const rows = query.data?.pages.flatMap(({ exceptions }) => exceptions) ?? []
  if (rows.length === 0) return null
  return (
    <Card
      isFlush
      title="Blocked and allowed"
      description="Recipients for whom somebody has made an exception, in all apps of the company."
    >
      <Table
        label="Blocked and allowed"
        rows={rows}
        rowKey={({ exception_id }) => exception_id}
        columns={[
          {
            key: 'recipient',
            header: 'Recipient',
            className: nameColumn,
            cell: ({ masked_recipient }) => masked_recipient,
          },
          { key: 'kind', header: 'Exception', cell: ({ kind }) => <Kind kind={kind} /> },
          { key: 'by', header: 'By', from: 'sm', cell: ({ created_by }) => created_by ?? 'the operator' },
          { key: 'at', header: 'Since', from: 'md', cell: ({ created_at }) => <Time value={created_at} /> },
          {
            key: 'lift',
            header: 'Remove',
            align: 'end',
            cell: ({ exception_id, masked_recipient }) => (
              <Button
                size="sm"
                aria-label={`Remove the exception for ${masked_recipient}`}
                disabledReason={reason}
                onClick={() => lift(exception_id)}
              >
                Remove
              </Button>
            ),
          },
        ]}
      />
      {query.hasNextPage && <Pages query={query} shown={rows.length} noun={['recipient', 'recipients']} />}
    </Card>
  )
}

const Kind = ({ kind }: Pick<ShownException, 'kind'>) =>
  kind === 'blocked' ? <Badge tone="bad">Blocked</Badge> : <Badge>Allowed past the guard</Badge>
