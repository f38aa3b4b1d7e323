import { type Query, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { isUnanswered } from '#lib/api-error.ts'
import { formatClock } from '#lib/format.ts'

/**
 * While the service cannot be reached, the page keeps what it has read, and this notice says how old that is. It comes
 * below the page and sticks to the lower edge, so that nothing moves when it appears.
 */
export function UnreachableNotice() {
  const client = useQueryClient()
  const cache = client.getQueryCache()
  const readAt = useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => Math.min(...cache.findAll({ type: 'active' }).filter(isOld).map(readAtOf)),
  )
  const isShown = Number.isFinite(readAt)
  return (
    <div role="status" className={isShown ? 'sticky bottom-0 z-20 p-2' : undefined}>
      {isShown && (
        <Notice
          tone="warn"
          title={`The service cannot be reached. What you see is from ${formatClock(new Date(readAt).toISOString())}.`}
          actions={
            <Button size="sm" onClick={() => void client.refetchQueries({ type: 'active' })}>
              Try again
            </Button>
          }
        />
      )}
    </div>
  )
}

const isOld = ({ state }: Query) => state.data !== undefined && isUnanswered(state.error)

const readAtOf = ({ state }: Query) => state.dataUpdatedAt
