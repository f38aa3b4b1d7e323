import { useQuery, useQueryClient } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'
import { endpointsQuery } from '#lib/webhook.ts'

const touched = ['listWebhooks', 'listEvents'] as const

export const useCreateEndpoint = () =>
  useChange('createWebhook', { says: 'Endpoint added', refreshes: touched, problems: 'form' })

export const useUpdateEndpoint = () =>
  useChange('updateEndpoint', { says: 'Endpoint saved', refreshes: touched, problems: 'form' })

export const useRemoveEndpoint = () =>
  useChange('deleteEndpoint', {
    says: 'Endpoint removed',
    problems: 'form',
    refreshes: [...touched, 'getAttention'],
  })

export const useRotateSecret = (onSecret: (secret: string) => void) =>
  useChange('rotateSecretOfEndpoint', {
    says: 'Signing secret rotated',
    problems: 'form',
    onDone: ({ signing_secret }) => onSecret(signing_secret),
  })

export function useEnableEndpoint(appId: string, onEnabled: () => void) {
  const client = useQueryClient()
  return useChange('enableEndpoint', {
    says: 'Endpoint enabled',
    refreshes: ['listEvents', 'getAttention'],
    onDone: (enabled) => {
      client.setQueryData(
        endpointsQuery(appId).queryKey,
        (known) =>
          known && {
            webhooks: known.webhooks.map((one) => (one.endpoint_id === enabled.endpoint_id ? enabled : one)),
          },
      )
      onEnabled()
    },
  })
}

export const useTestEndpoint = (onDone: (eventId: string) => void) =>
  useChange('testEndpoint', { refreshes: ['listEvents'], onDone: ({ event_id }) => onDone(event_id) })

const refreshMs = 700

/** A test event, polled until its outcome is known. */
export const useSentEvent = (eventId: string, isWaiting: boolean) =>
  useQuery({
    ...queryOf('getEvent', { params: { event_id: eventId } }),
    staleTime: 0,
    refetchInterval: isWaiting ? refreshMs : false,
  })
