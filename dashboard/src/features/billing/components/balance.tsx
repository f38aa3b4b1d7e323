import { Stat } from '#components/ui/stat.tsx'
import { Money } from '#components/ui/values.tsx'
import { useCompany } from '#lib/app.ts'
import { cx } from '#lib/classes.ts'
import { formatCount, plural } from '#lib/format.ts'
import { daysCounted, useRecentSpend } from './use-recent-spend.ts'

export function Balance({ companyId }: { readonly companyId: string }) {
  const { balance, metered } = useCompany(companyId)
  const recent = useRecentSpend(companyId)
  const isLow = metered && Number(balance) <= 0
  return (
    <dl className="grid gap-px overflow-hidden rounded-lg border bg-line sm:grid-cols-2 lg:grid-cols-4">
      <div className="bg-surface px-4 py-3 sm:col-span-2">
        <dt className="text-xs text-muted">Balance</dt>
        <dd
          className={cx(
            'figures text-[2.2rem] leading-tight font-semibold tracking-tight',
            isLow && 'text-bad',
          )}
        >
          <Money amount={balance} decimals="short" />
        </dd>
        <dd className="text-xs text-muted">
          {metered
            ? isLow
              ? 'Sends that cost something are refused until it is topped up.'
              : 'Sends are refused when it is not enough.'
            : 'This company is not metered: its messages are sent without charge.'}
        </dd>
      </div>
      <Stat
        label={`Spent in ${daysCounted} days`}
        value={recent === null ? '—' : <Money amount={recent.toFixed(6)} decimals="short" />}
        note={recent !== null && recent > 0 && <PerDay spent={recent} />}
      />
      <Stat label="Lasts" {...lastsFor(metered, Number(balance), recent)} />
    </dl>
  )
}

const PerDay = ({ spent }: { readonly spent: number }) => (
  <>
    <Money amount={(spent / daysCounted).toFixed(6)} decimals="short" /> a day
  </>
)

const longestDays = 999

function lastsFor(metered: boolean, balance: number, spent: number | null) {
  if (!metered) return { value: '—', note: 'Nothing is charged' }
  if (spent === null) return { value: '—' }
  if (spent <= 0) return { value: '—', note: 'Nothing was spent lately' }
  const days = Math.max(0, Math.floor(balance / (spent / daysCounted)))
  return {
    value: days > longestDays ? `Over ${formatCount(longestDays)} days` : plural(days, 'day'),
    note: 'At what the last days cost',
  }
}
