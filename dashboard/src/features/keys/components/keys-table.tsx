import { CopyText } from '#components/ui/copy.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import { cx } from '#lib/classes.ts'
import { formatCount, plural } from '#lib/format.ts'
import { type Key, kindLabels } from '../lib/kinds.ts'
import { RevokeKey } from './revoke-key.tsx'

const columns = (appId: string): readonly Column<Key>[] => [
  {
    key: 'name',
    header: 'Name',
    cell: (key) => (
      <>
        <span
          className={cx(
            'block max-w-56 min-w-24 font-medium [overflow-wrap:anywhere]',
            key.revoked_at && 'text-muted line-through decoration-faint',
            !key.name && 'font-normal text-faint',
          )}
        >
          {key.name ?? 'Unnamed'}
        </span>
        <span className="block text-xs text-muted md:hidden">
          <span className="font-mono sm:hidden">
            {key.starts_with}…{key.ends_with}
          </span>
          <span className="block">
            {plural(key.calls_24h, 'call')}, {plural(key.errors_24h, 'error')} in 24&nbsp;h
          </span>
        </span>
      </>
    ),
  },
  {
    key: 'kind',
    header: 'Kind',
    from: 'sm',
    cell: ({ kind, revoked_at }) => (
      <span className={cx(revoked_at && 'text-muted')}>{kindLabels[kind]}</span>
    ),
  },
  {
    key: 'key',
    header: 'Key',
    from: 'sm',
    cell: ({ starts_with, ends_with }) => (
      <span className="font-mono text-xs whitespace-nowrap text-muted">
        {starts_with}…{ends_with}
      </span>
    ),
  },
  {
    key: 'id',
    header: 'Key id',
    from: 'xl',
    cell: ({ key_id }) => <CopyText text={key_id} label="Copy the key id" className="-ml-1 max-w-40" />,
  },
  {
    key: 'calls',
    header: 'Calls, 24 h',
    align: 'end',
    from: 'md',
    cell: ({ calls_24h }) => formatCount(calls_24h),
  },
  {
    key: 'errors',
    header: 'Errors',
    align: 'end',
    from: 'md',
    cell: ({ errors_24h }) => (
      <span className={cx(errors_24h > 0 && 'text-bad')}>{formatCount(errors_24h)}</span>
    ),
  },
  { key: 'created', header: 'Created', from: 'xl', cell: ({ created_at }) => <Time value={created_at} /> },
  {
    key: 'used',
    header: 'Last used',
    cell: ({ last_used_at }) => <Time value={last_used_at} otherwise="never" />,
  },
  {
    key: 'revoke',
    header: <span className="sr-only">Revoke</span>,
    align: 'end',
    cell: (key) =>
      key.revoked_at ? (
        <span className="text-muted sm:whitespace-nowrap">
          Revoked <Time value={key.revoked_at} />
        </span>
      ) : (
        <RevokeKey appId={appId} apiKey={key} />
      ),
  },
]

interface KeysTableProps {
  readonly appId: string
  readonly keys: readonly Key[]
}

export const KeysTable = ({ appId, keys }: KeysTableProps) => (
  <Table label="API keys" columns={columns(appId)} rows={keys} rowKey={({ key_id }) => key_id} />
)
