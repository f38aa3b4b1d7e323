import { Fragment } from 'react'
import { Status } from '#components/ui/badge.tsx'
import { ExactTime } from '#components/ui/values.tsx'
import { formatCount } from '#lib/format.ts'
import type { Attempt, ListedEvent } from '../api/use-events.ts'

const isTaken = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

interface AttemptsProps {
  readonly attempts: readonly Attempt[]
  readonly endpoints: ListedEvent['endpoints']
}

/** Newest first, since people look for what went wrong last. */
export const Attempts = ({ attempts, endpoints }: AttemptsProps) =>
  attempts.length === 0 ? (
    <p className="rounded-md border border-dashed px-3 py-4 text-center text-sm text-muted">
      Nothing has been sent yet.
    </p>
  ) : (
    <ol className="flex flex-col gap-2" reversed>
      {attempts.toReversed().map((attempt) => (
        <li key={`${attempt.endpoint_id} ${attempt.at}`} className="overflow-hidden rounded-md border">
          <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 px-3 py-2 text-sm">
            <Status tone={isTaken(attempt) ? 'good' : 'bad'}>
              {attempt.status === null ? 'No answer' : `Answered ${attempt.status}`}
            </Status>
            <span className="figures flex gap-4 text-muted">
              <span>{formatCount(attempt.latency_ms)} ms</span>
              <ExactTime value={attempt.at} />
            </span>
          </p>
          {endpoints.length > 1 && (
            <p className="truncate px-3 pb-2 font-mono text-xs text-muted">
              {endpoints.find(({ endpoint_id }) => endpoint_id === attempt.endpoint_id)?.url ??
                'An endpoint that was removed'}
            </p>
          )}
          {attempt.error && <p className="border-t px-3 py-2 text-sm text-bad">{attempt.error}</p>}
          {attempt.answer && <Answer text={attempt.answer} />}
          {attempt.headers && <Headers headers={attempt.headers} />}
        </li>
      ))}
    </ol>
  )

const Answer = ({ text }: { readonly text: string }) => (
  <figure className="border-t bg-sunken px-3 py-2 text-xs">
    <figcaption className="mb-1 text-muted">Answer (first 2 KiB)</figcaption>
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-48 overflow-auto font-mono whitespace-pre-wrap [overflow-wrap:anywhere] focus-visible:-outline-offset-2"
    >
      {text}
    </pre>
  </figure>
)

const Headers = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => (
  <details className="border-t bg-sunken px-3 py-2 text-xs">
    <summary className="cursor-pointer text-muted focus-visible:-outline-offset-2">Request headers</summary>
    <dl className="mt-1.5 grid gap-x-3 gap-y-0.5 font-mono sm:grid-cols-[auto_minmax(0,1fr)]">
      {Object.entries(headers).map(([name, value]) => (
        <Fragment key={name}>
          <dt className="text-muted">{name}</dt>
          <dd className="[overflow-wrap:anywhere] max-sm:mb-1">{value}</dd>
        </Fragment>
      ))}
    </dl>
  </details>
)
