/** An app's webhook endpoint, or none: that there is none is no problem. */
import type { WebhookAnswer } from '@countersign/contract'
import { queryOptions } from '@tanstack/react-query'
import { isNotFound } from './api-error.ts'
import { call } from './client.ts'

const refreshMs = 4_000

export const webhookQuery = (appId: string) =>
  queryOptions({
    queryKey: ['getWebhook', 'or none', appId] as const,
    queryFn: ({ signal }): Promise<WebhookAnswer | null> =>
      call('getWebhook', { params: { app_id: appId } }, signal).catch((error: unknown) => {
        if (isNotFound(error)) return null
        throw error
      }),
    // A pause comes from outside: whoever looks should see it come.
    refetchInterval: ({ state }) => (state.data ? refreshMs : false),
  })
