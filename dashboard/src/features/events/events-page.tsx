import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { DownloadButton } from '#components/ui/download-button.tsx'
import { Page } from '#components/ui/page.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useEndpoint } from './api/use-endpoint.ts'
import { eventsFile, useEvents } from './api/use-events.ts'
import { EndpointNotice } from './components/endpoint-notice.tsx'
import { EventsTable } from './components/events-table.tsx'
import { NoEvents } from './components/no-events.tsx'
import { OpenedEvent } from './components/opened-event.tsx'
import { ReplayFailedDialog } from './components/replay-failed-dialog.tsx'
import { StatusFilter } from './components/status-filter.tsx'
import type { EventsSearch } from './search.ts'

export function EventsPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/events' })
  const { status, event: openId } = useSearch({ from: '/shell/a/$appId/events' })
  const navigate = useNavigate()
  const endpoint = useEndpoint(appId)
  const { query, events } = useEvents(appId, status)
  const [isReplaying, setReplaying] = useState(false)
  const go = (change: EventsSearch, replace: boolean) =>
    void navigate({ to: '.', search: (search) => ({ ...search, ...change }), replace })
  return (
    <Page
      title="Events"
      description="What your backend was sent, what it answered, and what is still to come."
      actions={
        <>
          <DownloadButton path={eventsFile(appId, status)} name="events.csv" />
          <Button disabledReason={endpoint.replayReason} onClick={() => setReplaying(true)}>
            Replay failed events
          </Button>
        </>
      }
    >
      <EndpointNotice appId={appId} endpoint={endpoint} />
      <Card
        title="Newest first"
        actions={
          <StatusFilter value={status} onChange={(next) => go({ status: next, event: undefined }, true)} />
        }
        isFlush
      >
        <Loaded query={{ ...query, data: events }} loading={<SkeletonRows />}>
          {(rows) =>
            rows.length === 0 ? (
              <NoEvents
                appId={appId}
                status={status}
                isEndpointMissing={endpoint.isMissing}
                onClear={() => go({ status: undefined }, true)}
              />
            ) : (
              <>
                <EventsTable
                  appId={appId}
                  events={rows}
                  replayReason={endpoint.replayReason}
                  onOpen={(event) => go({ event }, false)}
                />
                <Pages query={query} shown={rows.length} noun={['event', 'events']} />
              </>
            )
          }
        </Loaded>
      </Card>
      {openId && events && (
        <OpenedEvent
          key={openId}
          appId={appId}
          eventId={openId}
          listed={events.find(({ id }) => id === openId)}
          replayReason={endpoint.replayReason}
          onClose={() => go({ event: undefined }, true)}
        />
      )}
      {isReplaying && <ReplayFailedDialog appId={appId} onClose={() => setReplaying(false)} />}
    </Page>
  )
}
