import type { GuessingAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '#components/ui/card.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/values.tsx'
import { formatCount, formatSeconds, formatShare } from '#lib/format.ts'
import { guessingQuery } from '../api/queries.ts'

export function GuessingCard({ appId }: { readonly appId: string }) {
  const query = useQuery(guessingQuery(appId))
  return (
    <Card
      title="Wrong codes"
      description="One verification allows only a few guesses, but many verifications together allow many. An unusually high share of wrong codes is a sign that someone may be guessing."
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
  <Notice tone="warn" title="Someone may be guessing codes.">
    <p>
      Since <Time value={alarmed_since} /> far more codes than usual are wrong. Every verification keeps its
      few attempts; look at who starts them, and use longer codes or fewer attempts if it goes on.
      {alarmed_until && (
        <>
          {' '}
          This ends <Time value={alarmed_until} /> unless it continues.
        </>
      )}
    </p>
  </Notice>
)

function Figures({ watch }: { readonly watch: GuessingAnswer }) {
  const figures = [
    ['Guesses', formatCount(watch.guesses), `within ${formatSeconds(watch.window_s)}`],
    ['Wrong codes', formatCount(watch.failures), `alarm at ${formatCount(watch.alarm_failures)}`],
    ['Share of wrong codes', formatShare(watch.ratio), `alarm at ${formatShare(watch.alarm_ratio)}`],
    ['Usual share', formatShare(watch.usual_ratio), 'over the last seven days'],
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
