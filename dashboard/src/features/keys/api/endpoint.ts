import { useQuery, useQueryClient } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'
import { webhookQuery } from '#lib/webhook.ts'

export const usePutEndpoint = (says: string) =>
  useChange('putWebhook', { says, refreshes: ['getWebhook', 'listEvents'], problems: 'form' })

export const useRemoveEndpoint = () =>
  useChange('deleteWebhook', {
    says: 'The endpoint is removed',
    problems: 'form',
    refreshes: ['getWebhook', 'listEvents', 'getAttention'],
  })

export const useRotateSecret = (onSecret: (secret: string) => void) =>
  useChange('rotateWebhookSecret', {
    says: 'The signing secret is rotated',
    problems: 'form',
    onDone: ({ signing_secret }) => onSecret(signing_secret),
  })

export function useEnableEndpoint(appId: string, onEnabled: () => void) {
  const client = useQueryClient()
  return useChange('enableWebhook', {
    says: 'The endpoint is enabled',
    refreshes: ['listEvents', 'getAttention'],
    onDone: (answer) => {
      client.setQueryData(webhookQuery(appId).queryKey, answer)
      onEnabled()
    },
  })
}

export const useTestEndpoint = (onDone: (eventId: string) => void) =>
  useChange('testWebhook', { refreshes: ['listEvents'], onDone: ({ event_id }) => onDone(event_id) })

const refreshMs = 700
/** Enough to find the event that is waited for among those that happen meanwhile. */
const newest = 50

/** The newest events, read again and again for as long as one of them is waited for. */
export const useNewestEvents = (appId: string, isWaiting: boolean) =>
  useQuery({
    ...queryOf('listEvents', { params: { app_id: appId }, query: { limit: newest } }),
    staleTime: 0,
    refetchInterval: isWaiting ? refreshMs : false,
  })
