import type { GuessingAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '#components/ui/card.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/values.tsx'
import { formatCount, formatSeconds, formatShare } from '#lib/format.ts'
import { guessingQuery } from '../queries.ts'

export function GuessingCard({ appId }: { readonly appId: string }) {
  const query = useQuery(guessingQuery(appId))
  return (
    <Card
      title="Watch over wrong codes"
      description="Each verification takes few guesses, but many together take many. When the share of wrong codes is far from usual, further guesses of a verification have to wait."
    >
      <Loaded query={query} loading={<SkeletonRows rows={2} />}>
        {(watch) => (
          <div className="flex flex-col gap-4">
            {watch.alarmed_since && <Alarm watch={watch} />}
            <Figures watch={watch} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const Alarm = ({ watch: { alarmed_since, alarmed_until } }: { readonly watch: GuessingAnswer }) => (
  <Notice tone="warn" title="Somebody may be guessing codes.">
    <p>
      Since <Time value={alarmed_since} /> the second and further guesses of a verification wait.
      {alarmed_until && (
        <>
          {' '}
          It ends <Time value={alarmed_until} /> unless it goes on.
        </>
      )}
    </p>
  </Notice>
)

function Figures({ watch }: { readonly watch: GuessingAnswer }) {
  const figures = [
    ['Guesses', formatCount(watch.guesses), `in the last ${formatSeconds(watch.window_s)}`],
    ['Wrong codes', formatCount(watch.failures), `an alarm needs ${formatCount(watch.alarm_failures)}`],
    ['Share of wrong codes', formatShare(watch.ratio), `an alarm needs ${formatShare(watch.alarm_ratio)}`],
    ['Usual share', formatShare(watch.usual_ratio), 'of the seven days before'],
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-4">
      {figures.map(([label, value, note]) => (
        <div key={label}>
          <dt className="text-xs text-muted">{label}</dt>
          <dd className="figures text-lg font-semibold">{value}</dd>
          <dd className="text-xs text-faint">{note}</dd>
        </div>
      ))}
    </dl>
  )
}
