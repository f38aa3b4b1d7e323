import type { ProviderAnswer } from '@countersign/contract'
import { Status } from '#components/ui/badge.tsx'
import { formatCompact, formatExact, formatRelative, formatSeconds, type Tone } from '#lib/format.ts'

type State = ProviderAnswer['state']

const words: Readonly<Record<State['status'], readonly [label: string, tone: Tone]>> = {
  up: ['Up', 'good'],
  connecting: ['Connecting', 'busy'],
  failing: ['Failing', 'bad'],
  unknown: ['Unknown', 'quiet'],
}

/** The state of an account: since when, why, and what it did in the last hour. */
export function AccountState({ account: { state, enabled } }: { readonly account: ProviderAnswer }) {
  const [label, tone] = words[state.status]
  return (
    <div className="max-w-56 py-0.5">
      <Status tone={tone}>
        {enabled ? label : 'Off'}
        {state.since && (
          <time dateTime={state.since} title={formatExact(state.since)} className="text-muted">
            {formatRelative(state.since)}
          </time>
        )}
      </Status>
      {state.status === 'failing' && state.last_error && (
        <p
          className="text-xs sm:line-clamp-2 text-bad [overflow-wrap:anywhere]"
          title={sayError(state.last_error)}
        >
          {sayError(state.last_error)}
        </p>
      )}
      <p className="text-xs text-muted">{sayHour(state)}</p>
    </div>
  )
}

const sayError = ({ code, message }: NonNullable<State['last_error']>) => `${message} (${code})`

function sayHour({ sent_1h, failed_1h, seconds_to_accept, seconds_to_deliver }: State): string {
  if (sent_1h + failed_1h === 0) return 'Nothing in the last hour'
  return [
    `Last hour: ${formatCompact(sent_1h)} sent`,
    ...(failed_1h > 0
      ? [`${formatCompact(failed_1h)} failed ${failed_1h === 1 ? 'attempt' : 'attempts'}`]
      : []),
    ...(seconds_to_accept === null ? [] : [`accepted in ${formatSeconds(seconds_to_accept)}`]),
    ...(seconds_to_deliver === null ? [] : [`delivered in ${formatSeconds(seconds_to_deliver)}`]),
  ].join(' · ')
}
