import { useInfiniteQuery } from '@tanstack/react-query'
import type { Wanted } from '#components/recipient/wanted.ts'
import { pagesOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'

export const useExceptions = (companyId: string) =>
  useInfiniteQuery(pagesOf('listExceptions', { params: { company_id: companyId } }))

const refreshes = ['listExceptions', 'searchCompany', 'getVerification'] as const

export function useExcept(companyId: string, wanted: Wanted | null) {
  const excepted = useChange('exceptRecipient', {
    refreshes,
    problems: 'form',
    says: ({ kind }) =>
      kind === 'blocked' ? 'The recipient is blocked.' : 'The recipient is allowed past the guard for a day.',
  })
  const lifted = useChange('liftException', { refreshes, says: 'The exception is removed.' })
  const params = { company_id: companyId }
  return {
    except: (kind: 'blocked' | 'allowed') =>
      excepted.mutateAsync({
        params,
        body: {
          recipient: wanted?.recipient ?? '',
          ...(wanted?.country ? { country: wanted.country } : {}),
          kind,
        },
      }),
    lift: (exceptionId: string) => lifted.mutate({ params: { ...params, exception_id: exceptionId } }),
  }
}
