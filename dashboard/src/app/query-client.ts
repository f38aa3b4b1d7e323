import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isSignedOut, isUnanswered } from '#lib/api-error.ts'

const freshMs = 15_000
const mostRetries = 2

export function makeQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        retry: (failures, error) => failures < mostRetries && isUnanswered(error),
      },
    },
  })
}
