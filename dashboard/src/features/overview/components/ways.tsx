import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Money } from '#components/ui/values.tsx'
import { channelNames } from '#contract'
import type { AnswerOf } from '#lib/client.ts'
import { channelLabels, formatCount, formatShare } from '#lib/format.ts'
import type { Span } from '#lib/period.ts'
import { waysQuery } from '../api/stats.ts'

type By = AnswerOf<'getWays'>['by']
type Row = AnswerOf<'getWays'>['rows'][number]

function nameOf({ key, name }: Row): string {
  const channel = channelNames.find((one) => one === key)
  return channel ? channelLabels[channel] : (name ?? key)
}

const columns: readonly Column<Row>[] = [
  {
    key: 'name',
    header: 'Name',
    // Errors have long names without a space; the name of a channel fits.
    cell: (row) => <span className="block min-w-20 [overflow-wrap:anywhere]">{nameOf(row)}</span>,
  },
  { key: 'sends', header: 'Sends', align: 'end', cell: ({ sends }) => formatCount(sends) },
  {
    key: 'failed',
    header: 'Failed',
    align: 'end',
    from: 'sm',
    cell: ({ failed, messages }) => formatShare(messages > 0 ? failed / messages : null),
  },
  {
    key: 'conversion',
    header: 'Conversion',
    align: 'end',
    cell: ({ conversion }) => formatShare(conversion),
  },
  {
    key: 'each',
    header: 'Cost per approval',
    align: 'end',
    className: 'whitespace-normal',
    cell: ({ cost_per_approval }) =>
      cost_per_approval === null ? '—' : <Money amount={cost_per_approval} decimals="short" />,
  },
]

/** Verifications by the channel that they began on, by the account that carried them, or by what went wrong. */
export function Ways({ appId, span }: { readonly appId: string; readonly span: Span }) {
  const [by, setBy] = useState<By>('channel_started')
  const query = useQuery(waysQuery(appId, { from: span.from, by }))
  return (
    <Card
      isFlush
      title="By first channel, account or error"
      description="A verification is counted under the channel that it began on, each account that carried one of its messages, and each error that one of its messages had."
      actions={
        <Segmented
          label="Grouped by"
          value={by}
          options={[
            ['channel_started', 'First channel'],
            ['provider', 'Account'],
            ['error', 'Error'],
          ]}
          onChange={setBy}
        />
      }
    >
      <Loaded query={query} loading={<SkeletonRows rows={3} />}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={by === 'error' ? 'Nothing failed' : 'No messages'} className="py-8">
              Nothing matches in this period.
            </Empty>
          ) : (
            <Table
              label="Verifications by first channel, account or error"
              columns={columns}
              rows={rows}
              rowKey={({ key }) => key}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
