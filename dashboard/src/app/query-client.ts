import { QueryCache, QueryClient } from '@tanstack/react-query'
import { isSignedOut, isWorthRetrying } from '#lib/api-error.ts'
import { hasUnsaved } from '#lib/unsaved.ts'

const freshMs = 15_000
const mostRetries = 2

export function makeQueryClient(onSignedOut: () => void): QueryClient {
  // Only reads lead to the sign-in page. A change has already asked for a new session, and keeps what was typed.
  const queryCache = new QueryCache({
    onError: (error) => {
      if (isSignedOut(error) && !hasUnsaved()) onSignedOut()
    },
  })
  return new QueryClient({
    queryCache,
    defaultOptions: {
      // Calls are made even if the browser thinks it is offline: the service may be on this machine. A person who
      // presses a button is told that it did not work, instead of having it happen an hour later.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: freshMs,
        retry: (failures, error) => failures < mostRetries && isWorthRetrying(error),
      },
      mutations: { networkMode: 'always' },
    },
  })
}
