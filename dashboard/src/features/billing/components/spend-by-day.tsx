import Coins from 'lucide-react/icons/coins'
import { StackedBars } from '#components/charts/stacked-bars.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { formatMoney, useCurrency } from '#lib/money.ts'
import { useRecentSpend } from '../api/billing.ts'
import { SpendByCountry } from './spend-by-country.tsx'

/** Days are those of UTC, so they are named in UTC too. */
const dayLabel = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const dayTitle = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

/** An amount short enough for the axis. */
const formatTick = (value: number, currency: string | null): string =>
  new Intl.NumberFormat('en', {
    notation: 'compact',
    maximumSignificantDigits: 3,
    ...(currency ? { style: 'currency', currency } : {}),
  }).format(value)

/** What all apps of the company spent on each of the last thirty days. */
export function SpendByDay({ companyId }: { readonly companyId: string }) {
  const currency = useCurrency()
  return (
    <div className="flex flex-col gap-5">
      <Card
        title="Spent by day"
        description="What the messages of all apps cost, minus refunds for failed messages. Days are in UTC."
      >
        <Loaded query={useRecentSpend(companyId)} loading={<Skeleton className="h-56" />}>
          {({ by_day }) => {
            const spent = new Map(by_day.map((one) => [one.day, one.spent]))
            if (by_day.every((one) => Number(one.spent) === 0))
              return (
                <Empty title="Nothing was spent" icon={<Coins />}>
                  In the last thirty days no message was charged.
                </Empty>
              )
            return (
              <StackedBars
                label="Spent by day"
                keys={by_day.map(({ day }) => day)}
                series={[{ name: 'Spent', valueAt: (day) => Number(spent.get(day) ?? '0') }]}
                isWhole={false}
                formatValue={(value) => formatMoney(String(value), currency)}
                formatTick={(value) => formatTick(value, currency)}
                axisLabel={(day) => dayLabel.format(new Date(day))}
                titleOf={(day) => dayTitle.format(new Date(day))}
              />
            )
          }}
        </Loaded>
      </Card>
      <SpendByCountry companyId={companyId} />
    </div>
  )
}
