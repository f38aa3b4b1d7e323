import type { SearchProblem } from '@countersign/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { Wanted } from '#components/recipient/wanted.ts'
import { pagesOf } from '#lib/queries.ts'

export const usePerson = (companyId: string, wanted: Wanted | null, problem: SearchProblem | undefined) =>
  useInfiniteQuery({
    ...pagesOf('searchCompany', {
      params: { company_id: companyId },
      body: {
        recipient: wanted?.recipient ?? '',
        ...(wanted?.country ? { country: wanted.country } : {}),
        ...(problem ? { problem } : {}),
      },
    }),
    enabled: wanted !== null,
    retry: false,
  })
