import { useQuery } from '@tanstack/react-query'
import { isNotFound } from '#lib/api-error.ts'
import { useMayChangeApp } from '#lib/app.ts'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 4_000

export interface EndpointNow {
  readonly isMissing: boolean
  readonly isPaused: boolean
  readonly held: number
  /** Why nothing can be sent again now; absent when it can. */
  readonly replayReason: string | undefined
}

/** Whether events can go anywhere now. */
export function useEndpoint(appId: string): EndpointNow {
  const { reason } = useMayChangeApp(appId)
  const { data, error } = useQuery({
    ...queryOf('getWebhook', { params: { app_id: appId } }),
    refetchInterval: refreshMs,
  })
  const isMissing = isNotFound(error)
  const isPaused = !isMissing && data?.status === 'paused'
  const problem = isMissing
    ? 'There is no endpoint to send to. Set one under API Keys.'
    : isPaused
      ? 'The endpoint is paused. Enable it first, under API Keys.'
      : undefined
  return { isMissing, isPaused, held: data?.held ?? 0, replayReason: reason ?? problem }
}
