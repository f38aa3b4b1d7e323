import type { DebtsAnswer } from '@countersign/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import TrendingDown from 'lucide-react/icons/trending-down'
import { useMemo, useState } from 'react'
import { DebtLine } from '#components/charts/debt-line.tsx'
import { StackedBars } from '#components/charts/stacked-bars.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Field } from '#components/ui/field.tsx'
import { Select } from '#components/ui/input.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { placeInWords } from '#lib/block-words.ts'
import { formatCount, plural } from '#lib/format.ts'
import { formatMoney, useCurrency } from '#lib/money.ts'
import { zoned } from '#lib/time-zone.ts'
import { useNow } from '#lib/use-now.ts'
import { debtsQuery } from '../api/queries.ts'
import {
  beginningOf,
  type DebtPeriod,
  debtPeriods,
  type PlaceDebt,
  placeKey,
  pointsByStep,
  stepsOf,
} from '../lib/debt-series.ts'

const clockMs = 60_000

/** What places owed, the thresholds that close them, and what was held back. */
export function DebtCard({ appId }: { readonly appId: string }) {
  const [period, setPeriod] = useState<DebtPeriod>('24h')
  const now = useNow(clockMs)
  const from = useMemo(() => beginningOf(period, now), [period, now])
  const query = useQuery({ ...debtsQuery(appId, from), placeholderData: keepPreviousData })
  return (
    <Card
      title="Debt over time"
      description="A place owes more with each message whose code is not used, and less with each code that is used. A place that owes as much as its threshold is closed."
      actions={
        <Segmented
          label="Period of the chart"
          value={period}
          options={[
            ['3h', debtPeriods['3h']],
            ['24h', debtPeriods['24h']],
            ['7d', debtPeriods['7d']],
          ]}
          onChange={setPeriod}
        />
      }
    >
      <Loaded query={query} loading={<Skeleton className="h-72" />}>
        {(debts) =>
          debts.places.length === 0 ? (
            <Empty title="No notable debt" icon={<TrendingDown />}>
              {`In the last ${debtPeriods[period]} codes were used as usual everywhere, and nothing was held back.`}
            </Empty>
          ) : (
            <Places debts={debts} />
          )
        }
      </Loaded>
    </Card>
  )
}

function Places({ debts }: { readonly debts: DebtsAnswer }) {
  const [wanted, setWanted] = useState<string | null>(null)
  const currency = useCurrency()
  const place = debts.places.find((one) => placeKey(one) === wanted) ?? debts.places[0]
  if (!place) return null
  return (
    <div className="flex flex-col gap-4">
      <Field label="Place" className="max-w-xl">
        {(control) => (
          <Select {...control} value={placeKey(place)} onChange={({ target }) => setWanted(target.value)}>
            {debts.places.map((one) => (
              <option key={placeKey(one)} value={placeKey(one)}>
                {nameOf(one)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <p className="text-sm text-muted">{sentenceOf(place, currency)}</p>
      <PlaceCharts debts={debts} place={place} />
    </div>
  )
}

/** Carriers are named without the word, which is obvious there and would not fit on a phone. */
const nameOf = (place: PlaceDebt): string => {
  const { what, where } = placeInWords(place)
  if (place.level === 'carrier') return where
  return `${where} (${what.charAt(0).toLowerCase()}${what.slice(1)})`
}

function sentenceOf(
  { held, watched, held_price, watched_price }: PlaceDebt,
  currency: string | null,
): string {
  const money = (amount: string) => formatMoney(amount, currency, 'short')
  const parts = [
    ...(held > 0 ? [`${plural(held, 'send')} held back, which would have cost ${money(held_price)}`] : []),
    ...(watched > 0
      ? [
          `${plural(watched, 'send')} for ${money(watched_price)} would have been held back if the guard had acted`,
        ]
      : []),
  ]
  return parts.length === 0 ? 'Nothing was held back there.' : `${parts.join('; ')}.`
}

const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const formatOwed = (value: number) => tenths.format(value)
const clockLabel = zoned({ hour: '2-digit', minute: '2-digit' })
const dayLabel = zoned({ day: 'numeric', month: 'short' })
const title = zoned({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const dayMs = 86_400_000

function PlaceCharts({ debts, place }: { readonly debts: DebtsAnswer; readonly place: PlaceDebt }) {
  const keys = stepsOf(debts)
  const pointAt = pointsByStep(place)
  const isLong = Date.parse(debts.to) - Date.parse(debts.from) > 2 * dayMs
  const frame = { keys, axisLabel: isLong ? dayLabel : clockLabel, titleOf: title }
  const thresholdAt = (key: string) => pointAt(key)?.threshold ?? null
  const hasWatched = place.watched > 0
  return (
    <>
      <figure className="flex flex-col gap-1">
        <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
          <span className="flex items-center gap-1.5">
            <span aria-hidden="true" className="h-0.5 w-4 bg-accent" />
            Owed
          </span>
          <span className="flex items-center gap-1.5">
            <span aria-hidden="true" className="w-4 border-t-2 border-dashed border-bad" />
            Threshold
          </span>
        </figcaption>
        <DebtLine
          {...frame}
          label={`What ${placeInWords(place).where} owed`}
          debtAt={(key) => pointAt(key)?.debt ?? 0}
          thresholdAt={thresholdAt}
          formatValue={formatOwed}
          readingsOf={(key) => [
            { name: 'Owed', value: formatOwed(pointAt(key)?.debt ?? 0), swatch: 'bg-accent' },
            { name: 'Threshold', value: thresholdText(thresholdAt(key)), swatch: 'bg-bad' },
            { name: 'Held back', value: formatCount(pointAt(key)?.held ?? 0) },
          ]}
        />
      </figure>
      {(place.held > 0 || hasWatched) && (
        <StackedBars
          {...frame}
          label={`Sends held back in ${placeInWords(place).where}`}
          series={[
            ...(place.held > 0
              ? [{ name: 'Held back', valueAt: (key: string) => pointAt(key)?.held ?? 0 }]
              : []),
            ...(hasWatched
              ? [{ name: 'Would have been held back', valueAt: (key: string) => pointAt(key)?.watched ?? 0 }]
              : []),
          ]}
        />
      )}
    </>
  )
}

const thresholdText = (threshold: number | null) => (threshold === null ? '—' : formatOwed(threshold))
