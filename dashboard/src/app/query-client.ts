import { QueryCache, QueryClient } from '@tanstack/react-query'
import { isSignedOut, isUnanswered } from '#lib/api-error.ts'
import { hasUnsaved } from '#lib/unsaved.ts'

const freshMs = 15_000
const mostRetries = 2

export function makeQueryClient(onSignedOut: () => void): QueryClient {
  // A change that fails because the session has ended has asked already, and leaves the page and what was typed as it is.
  const queryCache = new QueryCache({
    onError: (error) => {
      if (isSignedOut(error) && !hasUnsaved()) onSignedOut()
    },
  })
  return new QueryClient({
    queryCache,
    defaultOptions: {
      // Asked whatever the browser thinks of the network: the service may be on this machine, and who presses a button is
      // to hear that it did not work rather than have it happen by itself an hour later.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: freshMs,
        retry: (failures, error) => failures < mostRetries && isUnanswered(error),
      },
      mutations: { networkMode: 'always' },
    },
  })
}
