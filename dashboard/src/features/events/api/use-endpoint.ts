import { useQuery } from '@tanstack/react-query'
import { useMayChangeApp } from '#lib/app.ts'
import { webhookQuery } from '#lib/webhook.ts'

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
  const { data } = useQuery(webhookQuery(appId))
  const isMissing = data === null
  const isPaused = data?.status === 'paused'
  const problem = isMissing
    ? 'There is no endpoint to send to. Set one under API Keys.'
    : isPaused
      ? 'The endpoint is paused. Enable it first, under API Keys.'
      : undefined
  return { isMissing, isPaused, held: data?.held ?? 0, replayReason: reason ?? problem }
}
