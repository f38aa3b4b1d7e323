import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { formatCount, plural } from '#lib/format.ts'
import type { EndpointParams } from './params.ts'
import { useRemaining } from './use-remaining.ts'

interface DrainingProps {
  readonly params: EndpointParams
  /** How many events were held. */
  readonly released: number
  readonly onDismiss: () => void
}

/** After a paused endpoint was enabled: how many of the held events are still to be sent. */
export function Draining({ params, released, onDismiss }: DrainingProps) {
  const [isOver, setOver] = useState(false)
  const remaining = useRemaining(params, !isOver)
  const isEmpty = remaining === 0
  useEffect(() => {
    if (isEmpty) setOver(true)
  }, [isEmpty])
  const done =
    released === 1 ? 'The held event was sent' : `All ${formatCount(released)} held events were sent`
  return (
    <div>
      <div role="status">
        {isOver && (
          <Notice tone="good" title={done} actions={<Button onClick={onDismiss}>Dismiss</Button>}>
            <p>
              The answers are listed under{' '}
              <Link
                to="/a/$appId/events"
                params={{ appId: params.app_id }}
                search={{ endpoint: params.endpoint_id }}
                className={textLink}
              >
                events
              </Link>
              .
            </p>
          </Notice>
        )}
      </div>
      {!isOver && <UnderWay released={released} remaining={remaining ?? released} />}
    </div>
  )
}

interface UnderWayProps {
  readonly released: number
  readonly remaining: number
}

/** Events that happen meanwhile are counted too, so there may be more left than were held. */
function UnderWay({ released, remaining }: UnderWayProps) {
  const left = Math.min(remaining, released)
  return (
    <Notice
      tone="plain"
      title={`Enabled: ${formatCount(left)} of ${plural(released, 'held event')} still to be sent`}
    >
      <p>The oldest is tried first; once it is accepted, the rest follow, ten at a time.</p>
      <progress
        aria-label="Held events sent"
        max={released}
        value={released - left}
        className="mt-1 h-1.5 w-full max-w-sm appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]"
      />
    </Notice>
  )
}
