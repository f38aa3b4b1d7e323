import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { DownloadButton } from '#components/ui/download-button.tsx'
import { Page } from '#components/ui/page.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useEndpoints } from './api/use-endpoints.ts'
import { eventsFile, useEvents } from './api/use-events.ts'
import { EndpointNotice } from './components/endpoint-notice.tsx'
import { EventsTable } from './components/events-table.tsx'
import { Filters } from './components/filters.tsx'
import { NoEvents } from './components/no-events.tsx'
import { OpenedEvent } from './components/opened-event.tsx'
import { ReplayFailedDialog } from './components/replay-failed-dialog.tsx'
import { type EventsSearch, isFiltered, parseEventsSearch } from './search.ts'

export function EventsPage() {
  const { appId } = useParams({ from: '/shell/a/$appId/events' })
  const { event: openId, open: _, ...filter } = useSearch({ from: '/shell/a/$appId/events' })
  const navigate = useNavigate()
  const endpoints = useEndpoints(appId)
  const { query, events } = useEvents(appId, filter)
  const [isReplaying, setReplaying] = useState(false)
  const go = (change: EventsSearch, replace: boolean) =>
    void navigate({ to: '.', search: (search) => ({ ...search, ...change }), replace })
  return (
    <Page
      title="Events"
      description="What was sent to your backend, what it answered, and what is still waiting."
      actions={
        <>
          <DownloadButton path={eventsFile(appId, filter)} name="events.csv" />
          <Button disabledReason={endpoints.replayReason} onClick={() => setReplaying(true)}>
            Replay failed events
          </Button>
        </>
      }
    >
      <EndpointNotice appId={appId} endpoints={endpoints} />
      <Card title="Newest first" isFlush>
        <Filters
          filter={filter}
          endpoints={endpoints.all}
          onChange={(change) => go({ ...change, event: undefined }, true)}
        />
        <Loaded query={{ ...query, data: events }} loading={<SkeletonRows />}>
          {(rows) => (
            <>
              {rows.length === 0 && !query.hasNextPage ? (
                <NoEvents
                  appId={appId}
                  isFiltered={isFiltered(filter)}
                  isEndpointMissing={endpoints.isMissing}
                  onClear={() => go(parseEventsSearch({}), true)}
                />
              ) : (
                <>
                  <EventsTable
                    appId={appId}
                    events={rows}
                    replayReason={endpoints.replayReason}
                    onOpen={(event) => go({ event }, false)}
                  />
                  <Pages query={query} shown={rows.length} noun={['event', 'events']} />
                </>
              )}
            </>
          )}
        </Loaded>
      </Card>
      {openId && events && (
        <OpenedEvent
          key={openId}
          appId={appId}
          eventId={openId}
          listed={events.find(({ id }) => id === openId)}
          replayReason={endpoints.replayReason}
          onClose={() => go({ event: undefined }, true)}
        />
      )}
      {isReplaying && <ReplayFailedDialog appId={appId} onClose={() => setReplaying(false)} />}
    </Page>
  )
}
