import type { EndpointAnswer } from '@countersign/contract'
import { Link } from '@tanstack/react-router'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { ExactTime, Time } from '#components/ui/values.tsx'
import { asSentence } from '#lib/api-error.ts'
import { useMayChangeApp } from '#lib/app.ts'
import { formatCount, plural } from '#lib/format.ts'
import { useEnableEndpoint } from './changes.ts'
import { paramsOf } from './params.ts'

interface PausedNoticeProps {
  readonly appId: string
  readonly endpoint: EndpointAnswer
  readonly onEnabled: (held: number) => void
}

/** The service counts held events no further than this. */
const mostCounted = 100_000

const heldWords = (held: number) =>
  held >= mostCounted
    ? `More than ${formatCount(held)} events are`
    : `${plural(held, 'event')} ${held === 1 ? 'is' : 'are'}`

export function PausedNotice({ appId, endpoint, onEnabled }: PausedNoticeProps) {
  const params = paramsOf(appId, endpoint)
  const { reason } = useMayChangeApp(appId)
  const enable = useEnableEndpoint(appId, () => onEnabled(endpoint.held))
  return (
    <Notice
      tone="warn"
      title={
        <>
          Paused {endpoint.paused_at && <Time value={endpoint.paused_at} />}: {heldWords(endpoint.held)} held
        </>
      }
      actions={
        <Button
          variant="primary"
          disabledReason={reason}
          isBusy={enable.isPending}
          onClick={() => enable.mutate({ params })}
        >
          Enable again
        </Button>
      }
    >
      <p className="text-ink">
        {endpoint.reason && <>{asSentence(endpoint.reason)} </>}
        {endpoint.paused_at && (
          <>
            Nothing has been sent since <ExactTime value={endpoint.paused_at} />.
          </>
        )}
      </p>
      <p>
        Fix your endpoint first; the{' '}
        <Link
          to="/a/$appId/events"
          params={{ appId }}
          search={{ endpoint: endpoint.endpoint_id }}
          className={textLink}
        >
          events
        </Link>{' '}
        show what it answered. Then enable it: the oldest event is tried first. If it is accepted, the rest
        follow, oldest first; if not, the endpoint is paused again and nothing is lost. Events are held for
        seven days.
      </p>
    </Notice>
  )
}
