import { useQuery } from '@tanstack/react-query'
import { isNotFound } from '#lib/api-error.ts'
import { useMayChangeApp } from '#lib/app.ts'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 5_000

/** Whether events can go anywhere now. */
export function useEndpoint(appId: string) {
  const { data, error } = useQuery({
    ...queryOf('getWebhook', { params: { app_id: appId } }),
    refetchInterval: refreshMs,
  })
  const isMissing = isNotFound(error)
  return { isMissing, isPaused: !isMissing && data?.status === 'paused', held: data?.held ?? 0 }
}

/** Why nothing can be sent again now; absent when it can. */
export function useReplayReason(appId: string): string | undefined {
  const { isMissing, isPaused } = useEndpoint(appId)
  const { reason } = useMayChangeApp(appId)
  if (reason) return reason
  if (isMissing) return 'There is no endpoint to send to. Set one under API Keys.'
  return isPaused ? 'The endpoint is paused. Enable it first, under API Keys.' : undefined
}
