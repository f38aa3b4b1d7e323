import type { ErrorStatsAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { type Column, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import { formatCount } from '#lib/format.ts'

type Kind = ErrorStatsAnswer['kinds'][number]

interface KindsProps {
  readonly appId: string
  readonly kinds: readonly Kind[]
  readonly keyName: (keyId: string) => string
}

/** The kinds of errors. Each leads to its last errors in full. */
export function Kinds({ appId, kinds, keyName }: KindsProps) {
  const columns: readonly Column<Kind>[] = [
    {
      key: 'type',
      header: 'Error',
      cell: ({ status, type, endpoint, key_id }) => (
        <>
          <Link
            to="/a/$appId/errors"
            params={{ appId }}
            search={(search) => ({ ...search, status, type, endpoint, key: key_id })}
            className={rowLinkClass}
          >
            {status} {type}
          </Link>
          <span className="block text-xs text-faint sm:hidden">{endpoint}</span>
        </>
      ),
    },
    {
      key: 'endpoint',
      header: 'Endpoint',
      from: 'sm',
      cell: ({ endpoint }) => <span className="font-mono text-xs">{endpoint}</span>,
    },
    { key: 'key', header: 'Key', from: 'md', cell: ({ key_id }) => keyName(key_id) },
    { key: 'count', header: 'Errors', align: 'end', cell: ({ count }) => formatCount(count) },
    { key: 'last', header: 'Last', align: 'end', cell: ({ last_at }) => <Time value={last_at} /> },
  ]
  return (
    <Table
      label="Kinds of errors"
      rows={kinds}
      rowKey={({ key_id, endpoint, status, type }) => `${key_id} ${endpoint} ${status} ${type}`}
      columns={columns}
    />
  )
}
