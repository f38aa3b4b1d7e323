import { useInfiniteQuery } from '@tanstack/react-query'
import { pagesOf } from '#lib/queries.ts'
import type { Wanted } from '../components/person-form.tsx'

export const usePerson = (companyId: string, wanted: Wanted | null) =>
  useInfiniteQuery({
    ...pagesOf('searchCompany', {
      params: { company_id: companyId },
      body: {
        recipient: wanted?.recipient ?? '',
        ...(wanted?.country ? { country: wanted.country } : {}),
      },
    }),
    enabled: wanted !== null,
    retry: false,
  })
