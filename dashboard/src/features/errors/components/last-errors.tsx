import type { ListedError } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import CircleCheck from 'lucide-react/icons/circle-check'
import { buttonClass } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { WholeTime } from '#components/ui/values.tsx'
import { useErrors } from '../api/errors.ts'
import type { ErrorsSearch } from '../search.ts'

interface LastErrorsProps {
  readonly appId: string
  readonly search: ErrorsSearch
  readonly keyName: (keyId: string) => string
}

/** The last hundred of each kind, in full. */
export function LastErrors({ appId, search, keyName }: LastErrorsProps) {
  const query = useErrors(appId, search)
  const isOneKind = search.type !== undefined
  return (
    <Card
      isFlush
      title={isOneKind ? `Last ${search.status ?? ''} ${search.type}` : 'Last errors'}
      description={
        isOneKind && search.endpoint
          ? `${search.endpoint}, ${search.key ? keyName(search.key) : 'any key'}. The last hundred of a kind are kept.`
          : 'The last hundred of each kind are kept, without the request body.'
      }
      actions={
        isOneKind && (
          <Link
            to="/a/$appId/errors"
            params={{ appId }}
            search={{ period: search.period }}
            className={buttonClass({ size: 'sm' })}
          >
            Show all kinds
          </Link>
        )
      }
    >
      <Loaded query={query} loading={<SkeletonRows rows={6} />}>
        {({ pages }) => {
          const rows = pages.flatMap(({ errors }) => errors)
          return rows.length === 0 ? (
            <Empty title="No errors" icon={<CircleCheck />}>
              Errors returned to callers with a key of this app appear here with their request id.
            </Empty>
          ) : (
            <>
              <Table
                label="Errors"
                rows={rows}
                rowKey={({ error_id }) => error_id}
                columns={columnsWith(keyName)}
              />
              <Pages query={query} shown={rows.length} noun={['error', 'errors']} />
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

const columnsWith = (keyName: (keyId: string) => string): readonly Column<ListedError>[] => [
  {
    key: 'what',
    header: 'Error',
    className: 'sm:w-1/2',
    cell: (error) => (
      <div className="py-0.5">
        <span className="block font-medium">
          {error.status} {error.type}
        </span>
        <span className="block text-xs text-muted [overflow-wrap:anywhere]">{error.message}</span>
        <span className="block font-mono text-xs text-faint">{error.endpoint}</span>
      </div>
    ),
  },
  { key: 'key', header: 'Key', from: 'md', cell: ({ key_id }) => keyName(key_id) },
  {
    key: 'request',
    header: 'Request id',
    from: 'sm',
    cell: ({ request_id }) => <CopyText text={request_id} label="Copy the request id" className="px-0" />,
  },
  {
    key: 'at',
    header: 'When',
    align: 'end',
    className: 'align-top sm:align-middle',
    cell: ({ created_at }) => <WholeTime value={created_at} />,
  },
]
