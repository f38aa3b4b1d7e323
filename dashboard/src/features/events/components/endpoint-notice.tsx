import { Link } from '@tanstack/react-router'
import { buttonClass } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { plural } from '#lib/format.ts'
import type { EndpointNow } from '../api/use-endpoint.ts'

interface EndpointNoticeProps {
  readonly appId: string
  readonly endpoint: EndpointNow
}

export const EndpointNotice = ({ appId, endpoint: { isPaused, held } }: EndpointNoticeProps) =>
  isPaused && (
    <Notice
      tone="warn"
      title={`The endpoint is paused: ${plural(held, 'event')} ${held === 1 ? 'is' : 'are'} held`}
      actions={
        <Link to="/a/$appId/keys" params={{ appId }} className={buttonClass()}>
          Go to the endpoint
        </Link>
      }
    >
      <p>Nothing is sent and nothing can be replayed until someone enables it.</p>
    </Notice>
  )
