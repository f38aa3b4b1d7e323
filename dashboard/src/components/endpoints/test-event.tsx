import { Link } from '@tanstack/react-router'
import Send from 'lucide-react/icons/send'
import { useState } from 'react'
import { Status } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import type { AnswerOf } from '#lib/client.ts'
import { useSentEvent, useTestEndpoint } from './changes.ts'
import type { EndpointParams } from './params.ts'

interface TestEventProps {
  readonly params: EndpointParams
  readonly isPaused: boolean
}

export function TestEvent({ params, isPaused }: TestEventProps) {
  const [eventId, setEventId] = useState<string | null>(null)
  const { reason } = useMayChangeApp(params.app_id)
  const test = useTestEndpoint(setEventId)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button
        disabledReason={reason ?? (isPaused ? 'The endpoint is paused. Enable it first.' : undefined)}
        isBusy={test.isPending}
        onClick={() => test.mutate({ params })}
      >
        <Send aria-hidden="true" />
        Send a test event
      </Button>
      <div role="status" className="text-sm">
        {eventId && <Outcome key={eventId} appId={params.app_id} eventId={eventId} />}
      </div>
    </div>
  )
}

type Attempt = AnswerOf<'getEvent'>['attempts'][number]

function Outcome({ appId, eventId }: { readonly appId: string; readonly eventId: string }) {
  const [attempt, setAttempt] = useState<Attempt | null>(null)
  const first = useSentEvent(eventId, attempt === null).data?.attempts[0]
  if (first && !attempt) setAttempt(first)
  if (!attempt) return <Status tone="busy">Sending…</Status>
  const isTaken = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Status tone={isTaken ? 'good' : 'bad'}>
        {isTaken ? 'Accepted' : 'Not accepted'}:{' '}
        {attempt.status === null ? attempt.error : `answered ${attempt.status}`}
        {` in ${attempt.latency_ms} ms`}
      </Status>
      <Link to="/a/$appId/events" params={{ appId }} search={{ event: eventId }} className={textLink}>
        See the event
      </Link>
    </span>
  )
}
