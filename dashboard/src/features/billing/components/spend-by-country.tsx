import Coins from 'lucide-react/icons/coins'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { FirstRows } from '#components/ui/first-rows.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Country, Money } from '#components/ui/values.tsx'
import { formatCount } from '#lib/format.ts'
import { mostApps, useMonthByCountry } from '../api/billing.ts'
import { byCountry, type CountrySpend, monthOf } from '../lib/this-month.ts'

const columns: readonly Column<CountrySpend>[] = [
  {
    key: 'country',
    header: 'Country',
    cell: ({ country }) =>
      country === null ? <span className="text-muted">No country</span> : <Country code={country} />,
  },
  { key: 'messages', header: 'Messages', align: 'end', cell: ({ messages }) => formatCount(messages) },
  { key: 'spent', header: 'Spent', align: 'end', cell: ({ spent }) => <Money amount={spent} /> },
]

/** What the month has cost so far in each country, over all apps that the company has now. */
export function SpendByCountry({ companyId }: { readonly companyId: string }) {
  return (
    <Card
      isFlush
      title="This month by country"
      description="What the messages of the company’s present apps cost since the first of the month in UTC, minus refunds. Email has no country."
    >
      <Loaded query={useMonthByCountry(companyId, monthOf(Date.now()))} loading={<SkeletonRows rows={4} />}>
        {({ answers, count }) => {
          const rows = byCountry(answers)
          return rows.length === 0 ? (
            <Empty
              title={count > mostApps ? 'Too many apps' : 'Nothing was sent'}
              icon={<Coins />}
              className="py-8"
            >
              {count > mostApps
                ? 'See the overview of each app for what it spent by country.'
                : 'No app of the company has sent a message this month.'}
            </Empty>
          ) : (
            <FirstRows rows={rows} noun="countries">
              {(shown) => (
                <Table
                  label="This month by country"
                  columns={columns}
                  rows={shown}
                  rowKey={({ country }) => country ?? ''}
                />
              )}
            </FirstRows>
          )
        }}
      </Loaded>
    </Card>
  )
}
