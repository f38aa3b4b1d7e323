import { Link } from '@tanstack/react-router'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { FirstRows } from '#components/ui/first-rows.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Channel, Country, Money } from '#components/ui/values.tsx'
import { channelNames } from '#contract'
import { formatCount, formatSeconds, formatShare } from '#lib/format.ts'
import type { Span } from '#lib/period.ts'
import { type StatsRow, useStats } from '../api/stats.ts'
import type { Filter } from './key-figures.tsx'

interface BreakdownProps {
  readonly appId: string
  readonly by: 'channel' | 'country'
  readonly span: Span
  readonly filter: Filter
}

/** The figures of each channel or country. Choosing one narrows the whole page to it. */
export function Breakdown({ appId, by, span, filter }: BreakdownProps) {
  const query = useStats(appId, { from: span.from, by, ...filter })
  const title = by === 'channel' ? 'By channel' : 'By country'
  return (
    <Card
      title={title}
      isFlush
      {...(by === 'channel'
        ? { description: 'A verification counts for the channel that it ended on.' }
        : {})}
    >
      <Loaded query={query} loading={<SkeletonRows rows={4} />}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="No figures" className="py-8">
              Nothing matches in this period.
            </Empty>
          ) : (
            <FirstRows
              rows={[...rows].sort((one, other) => other.sends - one.sends)}
              noun={by === 'channel' ? 'channels' : 'countries'}
            >
              {(shown) => (
                <Table
                  label={title}
                  rows={shown}
                  rowKey={({ key }) => key}
                  columns={[nameColumn(appId, by), ...figureColumns]}
                />
              )}
            </FirstRows>
          )
        }
      </Loaded>
    </Card>
  )
}

const nameColumn = (appId: string, by: 'channel' | 'country'): Column<StatsRow> => ({
  key: 'name',
  header: by === 'channel' ? 'Channel' : 'Country',
  cell: ({ key }) => {
    const channel = channelNames.find((name) => name === key)
    if (by === 'country' && !/^[A-Z]{2}$/.test(key)) return <span className="text-muted">No country</span>
    return (
      <Link
        to="/a/$appId/overview"
        params={{ appId }}
        search={(current) => ({ ...current, ...(channel ? { channel } : { country: key }) })}
        className={rowLinkClass}
      >
        {channel ? <Channel name={channel} /> : <Country code={key} />}
      </Link>
    )
  },
})

const figureColumns: readonly Column<StatsRow>[] = [
  { key: 'sends', header: 'Sends', align: 'end', cell: ({ sends }) => formatCount(sends) },
  {
    key: 'delivered',
    header: 'Delivered',
    align: 'end',
    from: 'sm',
    cell: ({ delivered, messages }) => formatShare(messages > 0 ? delivered / messages : null),
  },
  {
    key: 'conversion',
    header: 'Conversion',
    align: 'end',
    cell: ({ conversion }) => formatShare(conversion),
  },
  {
    key: 'median',
    header: 'Median',
    align: 'end',
    from: 'md',
    cell: ({ seconds_to_approve }) => (seconds_to_approve ? formatSeconds(seconds_to_approve.p50) : '—'),
  },
  {
    key: 'cost',
    header: 'Spend',
    align: 'end',
    cell: ({ cost }) => <Money amount={cost} decimals="short" />,
  },
]
