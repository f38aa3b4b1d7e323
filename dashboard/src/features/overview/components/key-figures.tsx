import type { ChannelName, Figures } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { useRefusalStats } from '#components/refusals/query.ts'
import { Stat, Stats } from '#components/ui/stat.tsx'
import { Money } from '#components/ui/values.tsx'
import { formatCount, formatSeconds, formatShare } from '#lib/format.ts'
import type { Span } from '#lib/period.ts'
import { useStats } from '../api/stats.ts'

export interface Filter {
  readonly channel: ChannelName | undefined
  readonly country: string | undefined
}

interface KeyFiguresProps {
  readonly appId: string
  readonly total: Figures
  readonly span: Span
  readonly filter: Filter
}

/** Keeps an empty line, so that the figures align. */
const nothing = '\u00a0'
const seconds = (value: number | undefined) => (value === undefined ? '—' : formatSeconds(value))

/** Refusals are counted by rule, and neither by channel nor by country. */
const refusedNote = ({ channel, country }: Filter) =>
  channel || country ? 'Over all channels' : 'Sends and resends'

function RefusedCount({ appId, span }: { readonly appId: string; readonly span: Span }) {
  const count = useRefusalStats(appId, span).data?.total.count
  if (count === undefined) return '—'
  return (
    <Link to="/a/$appId/guard" params={{ appId }} search={{ tab: 'history' }} className="hover:text-accent">
      {formatCount(count)}
    </Link>
  )
}

export function KeyFigures({ appId, total, span, filter }: KeyFiguresProps) {
  const before = useStats(appId, { from: span.before, to: span.from, by: span.by, ...filter }).data?.total
  const hasBefore = before !== undefined && before.sends > 0
  const was = (value: string) => (hasBefore ? `${value} before` : nothing)
  return (
    <Stats>
      <Stat label="Sends" value={formatCount(total.sends)} note={was(formatCount(before?.sends ?? 0))} />
      <Stat
        label="Approvals"
        value={formatCount(total.approvals)}
        note={was(formatCount(before?.approvals ?? 0))}
      />
      <Stat
        label="Conversion"
        value={formatShare(total.conversion)}
        note={was(formatShare(before?.conversion ?? null))}
      />
      <Stat
        label="Spend"
        value={<Money amount={total.cost} decimals="short" />}
        note={
          <>
            {hasBefore ? (
              <>
                <Money amount={before.cost} decimals="short" /> before
              </>
            ) : (
              total.cost_per_approval === null && nothing
            )}
            {total.cost_per_approval !== null && (
              <span className="block">
                <Money amount={total.cost_per_approval} decimals="short" /> per approval
              </span>
            )}
          </>
        }
      />
      <Stat
        label="Median time to approval"
        value={seconds(total.seconds_to_approve?.p50)}
        note={total.seconds_to_approve ? `95% within ${seconds(total.seconds_to_approve.p95)}` : nothing}
      />
      <Stat label="Refused" value={<RefusedCount appId={appId} span={span} />} note={refusedNote(filter)} />
    </Stats>
  )
}
