import { useState } from 'react'
import { type Series, StackedBars } from '#components/charts/stacked-bars.tsx'
import { Card } from '#components/ui/card.tsx'
import { Problem } from '#components/ui/problem.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { channelNames } from '#contract'
import { channelLabels, countryName } from '#lib/format.ts'
import { axisLabel, type Span, spanTitle } from '#lib/period.ts'
import { rowsByTime, useStats, useStatsOfEach } from '../api/stats.ts'
import type { Filter } from './key-figures.tsx'

interface MessagesProps {
  readonly appId: string
  readonly span: Span
  readonly filter: Filter
}

const mostCountries = 4

/** Messages over time, by channel or by country. */
export function Messages({ appId, span, filter }: MessagesProps) {
  const [part, setPart] = useState<'channel' | 'country'>('channel')
  const byChannel = useByChannel(appId, span, filter)
  const byCountry = useByCountry(appId, span, filter)
  const { series, isWhole, error } = part === 'channel' ? byChannel : byCountry
  return (
    <Card
      title="Messages"
      actions={
        <Segmented
          label="Group messages by"
          value={part}
          options={[
            ['channel', 'Channel'],
            ['country', 'Country'],
          ]}
          onChange={setPart}
        />
      }
    >
      {isWhole ? (
        <StackedBars
          label={`Messages by ${part}`}
          keys={span.keys}
          series={series}
          axisLabel={(key) => axisLabel(span, key)}
          titleOf={(key) => spanTitle(span, key)}
        />
      ) : error ? (
        <Problem error={error} className="border-0 p-0" />
      ) : (
        // As high as the chart, so that nothing moves once all parts are there.
        <Skeleton className="h-[250px] w-full" />
      )}
    </Card>
  )
}

interface Parts {
  readonly series: readonly Series[]
  readonly isWhole: boolean
  readonly error: unknown
}

function useByChannel(appId: string, span: Span, filter: Filter): Parts {
  const names = filter.channel ? [filter.channel] : channelNames
  const { answers, ...state } = useStatsOfEach(
    appId,
    names.map((channel) => ({ from: span.from, by: span.by, ...filter, channel })),
  )
  const series = names.map((channel, index) => {
    const rowAt = rowsByTime(answers[index])
    return { name: channelLabels[channel], valueAt: (key: string) => rowAt(key)?.messages ?? 0 }
  })
  return { series, ...state }
}

/** The countries with the most messages, and all others as one. */
function useByCountry(appId: string, span: Span, filter: Filter): Parts {
  const all = useStats(appId, { from: span.from, by: span.by, ...filter })
  const ranked = useStats(appId, { from: span.from, by: 'country', ...filter })
  const codes = [...(ranked.data?.rows ?? [])]
    .filter(({ key }) => /^[A-Z]{2}$/.test(key))
    .sort((one, other) => other.messages - one.messages)
    .slice(0, mostCountries)
    .map(({ key }) => key)
  const { answers, isWhole, error } = useStatsOfEach(
    appId,
    codes.map((country) => ({ from: span.from, by: span.by, ...filter, country })),
  )
  const totalAt = rowsByTime(all.data)
  const series = codes.map((code, index) => {
    const rowAt = rowsByTime(answers[index])
    return { name: countryName(code), valueAt: (key: string) => rowAt(key)?.messages ?? 0 }
  })
  const rest = (key: string) =>
    Math.max((totalAt(key)?.messages ?? 0) - series.reduce((sum, { valueAt }) => sum + valueAt(key), 0), 0)
  return {
    series: [...series, { name: series.length > 0 ? 'All others' : 'All', valueAt: rest }],
    isWhole: isWhole && all.data !== undefined && ranked.data !== undefined,
    error: error ?? all.error ?? ranked.error,
  }
}
