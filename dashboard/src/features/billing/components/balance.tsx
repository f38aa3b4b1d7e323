import { FirstLoad, RequestId, useWasAnswered } from '#components/ui/problem.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { Stat } from '#components/ui/stat.tsx'
import { Money } from '#components/ui/values.tsx'
import { messageOf } from '#lib/api-error.ts'
import { useCompany } from '#lib/app.ts'
import { cx } from '#lib/classes.ts'
import type { AnswerOf } from '#lib/client.ts'
import { formatCount, plural } from '#lib/format.ts'
import { useRecentSpend } from '../api/billing.ts'
import { thisMonth } from '../lib/this-month.ts'

type Spend = AnswerOf<'getCompanySpend'>

export function Balance({ companyId }: { readonly companyId: string }) {
  const { balance, metered } = useCompany(companyId)
  const recent = useRecentSpend(companyId)
  const wasAnswered = useWasAnswered(recent)
  const isLow = metered && Number(balance) <= 0
  return (
    <dl className="grid gap-px overflow-hidden rounded-lg border bg-line sm:grid-cols-3 lg:grid-cols-5">
      <div className="bg-surface px-4 py-3 sm:col-span-3 lg:col-span-2">
        <dt className="text-xs text-muted">Balance</dt>
        <dd
          className={cx(
            'figures text-[clamp(1.4rem,6.5vw,2.2rem)] leading-tight font-semibold tracking-tight',
            isLow && 'text-bad',
          )}
        >
          <Money amount={balance} decimals="short" />
        </dd>
        <dd className="text-xs text-muted">
          {metered
            ? isLow
              ? 'Sends that cost money are refused until it is topped up.'
              : 'A send that costs more than this is refused.'
            : 'This company is not metered: its messages are sent without charge.'}
        </dd>
      </div>
      {recent.data ? (
        <>
          <Month spend={recent.data} readAtMs={recent.dataUpdatedAt} />
          <Stat
            label={`Spent in ${recent.data.days} days`}
            value={<Money amount={recent.data.spent} decimals="short" />}
            note={<PerDay spend={recent.data} />}
          />
          <Stat label="Will last" {...lastsFor(metered, recent.data)} />
        </>
      ) : (
        <Unknown label="Spent recently" error={recent.error} wasAnswered={wasAnswered} />
      )}
    </dl>
  )
}

/** Spending per day is extrapolated from the time that is known: after less than a day it is more than was spent. */
const isYoung = ({ per_day, spent }: Spend) => Number(per_day) > Number(spent)

const PerDay = ({ spend }: { readonly spend: Spend }) =>
  isYoung(spend) ? (
    'All within the last day'
  ) : (
    <>
      <Money amount={spend.per_day} decimals="short" /> a day
    </>
  )

function Month({ spend, readAtMs }: { readonly spend: Spend; readonly readAtMs: number }) {
  const { label, spent, expected } = thisMonth(spend, readAtMs)
  return (
    <Stat
      label={label}
      value={<Money amount={spent} decimals="short" />}
      note={
        expected === null ? (
          'So far'
        ) : (
          <>
            About <Money amount={String(expected)} decimals="short" /> by the end of the month
          </>
        )
      }
    />
  )
}

interface UnknownProps {
  readonly label: string
  readonly error: unknown
  readonly wasAnswered: boolean
}

/** As wide as the three figures that replace it. */
const Unknown = ({ label, error, wasAnswered }: UnknownProps) => (
  <div className="flex min-h-[5.25rem] flex-col gap-0.5 bg-surface px-4 py-3 sm:col-span-3">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-sm text-muted">
      {error ? (
        <>
          {messageOf(error)} <RequestId error={error} />
        </>
      ) : (
        <FirstLoad isOver={wasAnswered}>
          <Skeleton className="mt-1 h-6 w-24" />
        </FirstLoad>
      )}
    </dd>
  </div>
)

const longestDays = 999

/** How long the balance lasts, by the service's estimate from recent spending. */
function lastsFor(metered: boolean, spend: Spend) {
  const { days_left } = spend
  if (!metered) return { value: '—', note: 'Nothing is charged' }
  if (days_left === null) return { value: '—', note: 'Nothing was spent recently' }
  const note = isYoung(spend) ? 'Based on the first hours' : 'Based on recent spending'
  const days = Math.floor(days_left)
  if (days < 1) return { value: <span className="text-bad">Less than a day</span>, note }
  return { value: days > longestDays ? `Over ${formatCount(longestDays)} days` : plural(days, 'day'), note }
}
