import { Link } from '@tanstack/react-router'
import { buttonClass } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { plural } from '#lib/format.ts'
import type { EndpointsNow } from '../api/use-endpoints.ts'

interface EndpointNoticeProps {
  readonly appId: string
  readonly endpoints: EndpointsNow
}

export function EndpointNotice({ appId, endpoints: { all, paused, held } }: EndpointNoticeProps) {
  if (paused === 0) return null
  const isAll = paused === all.length
  const which =
    all.length === 1
      ? 'The endpoint is paused'
      : `${paused} of ${all.length} endpoints ${paused === 1 ? 'is' : 'are'} paused`
  return (
    <Notice
      tone="warn"
      title={`${which}: ${plural(held, 'event')} ${held === 1 ? 'is' : 'are'} held`}
      actions={
        <Link to="/a/$appId/webhooks" params={{ appId }} className={buttonClass()}>
          {all.length === 1 ? 'Go to the endpoint' : 'Go to the endpoints'}
        </Link>
      }
    >
      <p>
        {isAll
          ? 'Nothing is sent and nothing can be replayed until someone enables it.'
          : 'The other endpoints still get events. Nothing is sent to paused ones until someone enables them.'}
      </p>
    </Notice>
  )
}
