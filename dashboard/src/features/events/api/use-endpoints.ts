import { useQuery } from '@tanstack/react-query'
import { useMayChangeApp } from '#lib/app.ts'
import { endpointsQuery } from '#lib/webhook.ts'

export interface EndpointsNow {
  readonly all: readonly { readonly endpoint_id: string; readonly url: string; readonly status: string }[]
  readonly isMissing: boolean
  /** How many endpoints are paused. */
  readonly paused: number
  readonly held: number
  /** Why events cannot be replayed now; absent if they can. */
  readonly replayReason: string | undefined
}

/** The app's endpoints, and whether events can be sent to any of them now. */
export function useEndpoints(appId: string): EndpointsNow {
  const { reason } = useMayChangeApp(appId)
  const all = useQuery(endpointsQuery(appId)).data?.webhooks
  const isMissing = all?.length === 0
  const paused = all?.filter(({ status }) => status === 'paused') ?? []
  const problem = isMissing
    ? 'There is no endpoint to send to. Set one under Webhooks.'
    : all && paused.length === all.length
      ? 'The endpoint is paused. Enable it first, under Webhooks.'
      : undefined
  return {
    all: all ?? [],
    isMissing,
    paused: paused.length,
    held: paused.reduce((sum, { held }) => sum + held, 0),
    replayReason: reason ?? problem,
  }
}
