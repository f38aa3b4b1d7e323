import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { formatCount, plural } from '#lib/format.ts'
import { useRemaining } from '../use-remaining.ts'

interface DrainingProps {
  readonly appId: string
  /** How many events were held. */
  readonly released: number
  readonly onDismiss: () => void
}

/** After a pause: how many of the held events are still to be sent. */
export function Draining({ appId, released, onDismiss }: DrainingProps) {
  const [isOver, setOver] = useState(false)
  const remaining = useRemaining(appId, !isOver)
  const isEmpty = remaining?.count === 0
  useEffect(() => {
    if (isEmpty) setOver(true)
  }, [isEmpty])

  if (isOver) {
    return (
      <Notice
        tone="good"
        title={
          released === 1 ? 'The held event was sent' : `All ${formatCount(released)} held events were sent`
        }
        actions={<Button onClick={onDismiss}>Dismiss</Button>}
      >
        <p>
          What each was answered is among the{' '}
          <Link to="/a/$appId/events" params={{ appId }} className={textLink}>
            events
          </Link>
          .
        </p>
      </Notice>
    )
  }
  const left = remaining?.isMore ? released : Math.min(remaining?.count ?? released, released)
  return (
    <Notice tone="plain" title={`${leftWords(remaining?.isMore ?? false, left)} still to be sent`}>
      <p>The oldest is tried alone first; once it is taken, the rest follow, ten at a time.</p>
      <progress
        aria-label="Held events that were sent"
        max={released}
        value={released - left}
        className="mt-1 h-1.5 w-full max-w-sm appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]"
      />
    </Notice>
  )
}

const leftWords = (isMore: boolean, left: number) =>
  isMore
    ? `Enabled: many of ${plural(left, 'held event')} are`
    : `Enabled: ${plural(left, 'held event')} ${left === 1 ? 'is' : 'are'}`
