import type { AppAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { Status } from '#components/ui/badge.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Money } from '#components/ui/values.tsx'
import {
  channelLabels,
  countryName,
  formatCount,
  formatShare,
  formatWholeShare,
  type Tone,
} from '#lib/format.ts'
import { type RouteRow, routesQuery } from '../api/routes.ts'
import { placesOf, savedBy } from '../lib/routes.ts'

const states: Readonly<Record<RouteRow['state'], readonly [label: string, tone: Tone]>> = {
  leading: ['Judged best', 'good'],
  holding: ['Needed for the floor', 'good'],
  costlier: ['Costs more', 'quiet'],
  under_floor: ['Under the floor', 'warn'],
  unknown: ['Not enough data', 'busy'],
  standby: ['Standby', 'quiet'],
}

/** Shown instead of the state of a route that has had no message. */
const nothingYet: readonly [label: string, tone: Tone] = ['No messages yet', 'quiet']

function Account({ row }: { readonly row: RouteRow }) {
  const [label, tone] = row.sends === 0 ? nothingYet : states[row.state]
  return (
    <span className="flex min-w-0 flex-col">
      <span className="font-medium [overflow-wrap:anywhere]">{row.name ?? row.provider_id}</span>
      <span className="text-xs text-muted">
        <Status tone={tone}>{label}</Status>
      </span>
    </span>
  )
}

/** The estimated cost of an approval, and its range. */
function Cost({ row: { cost_per_approval, low, high } }: { readonly row: RouteRow }) {
  if (cost_per_approval === null || low === null || high === null) return <>—</>
  return (
    <span className="flex flex-col items-end">
      <Money amount={cost_per_approval} decimals="short" />
      <span className="text-xs text-muted">
        <Money amount={low} decimals="short" /> – <Money amount={high} decimals="short" />
      </span>
    </span>
  )
}

const columns: readonly Column<RouteRow>[] = [
  { key: 'account', header: 'Account', cell: (row) => <Account row={row} /> },
  { key: 'sends', header: 'Messages', align: 'end', from: 'sm', cell: ({ sends }) => formatCount(sends) },
  {
    key: 'delivered',
    header: 'Delivered',
    align: 'end',
    from: 'xl',
    cell: ({ delivered, sends }) => formatShare(sends > 0 ? delivered / sends : null),
  },
  {
    key: 'conversion',
    header: 'Approved',
    align: 'end',
    from: 'sm',
    cell: ({ conversion }) => formatShare(conversion),
  },
  { key: 'cost', header: 'Per approval', align: 'end', cell: (row) => <Cost row={row} /> },
  { key: 'share', header: 'Next', align: 'end', cell: ({ share }) => formatWholeShare(share) },
]

/** What is known about each account by country, how certain that is, and what the choice has saved. */
export function RoutesCard({ app }: { readonly app: AppAnswer }) {
  const query = useQuery(routesQuery(app.app_id))
  return (
    <Card
      isFlush
      title="How accounts perform"
      description="By channel and country. Approvals and costs are estimates: with few messages they are close to what is usual. Below each cost is its range: in nine of ten cases the true cost lies in it. “Next” is the share of the coming messages that the account will get."
    >
      <Loaded query={query} loading={<SkeletonRows rows={4} />}>
        {({ routes }) =>
          routes.length === 0 ? (
            <Empty title="Nothing is known yet" className="py-8">
              Figures appear with the first messages of a channel that has several accounts, or of every
              channel once “Learned” is chosen.
            </Empty>
          ) : (
            placesOf(routes).map(({ key, channel, country, rows }) => (
              <section key={key} aria-label={titleOf(channel, country)} className="border-t first:border-t-0">
                <h3 className="flex flex-wrap items-baseline justify-between gap-x-3 bg-page px-4 py-2 text-sm">
                  <span className="font-medium">{titleOf(channel, country)}</span>
                  <Saved amount={savedBy(rows)} />
                </h3>
                <Table
                  label={`Accounts: ${titleOf(channel, country)}`}
                  columns={columns}
                  rows={rows}
                  rowKey={({ provider_id }) => provider_id}
                />
              </section>
            ))
          )
        }
      </Loaded>
    </Card>
  )
}

const titleOf = (channel: RouteRow['channel'], country: string | null) =>
  country === null ? channelLabels[channel] : `${countryName(country)} · ${channelLabels[channel]}`

function Saved({ amount }: { readonly amount: string | null }) {
  if (amount === null) return null
  const isLoss = amount.startsWith('-')
  return (
    <span className="text-xs text-muted">
      {isLoss ? 'Exploring has cost about ' : 'Saved about '}
      <Money amount={isLoss ? amount.slice(1) : amount} decimals="short" />
    </span>
  )
}
