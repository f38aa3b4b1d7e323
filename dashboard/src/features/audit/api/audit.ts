import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { pagesOf, queryOf } from '#lib/queries.ts'

export const useCompanyAudit = (companyId: string, personId: string | undefined) =>
  useInfiniteQuery(
    pagesOf('listAudit', { params: { company_id: companyId }, query: { person_id: personId } }),
  )

/** The members of the company, for the filter by person. */
export const useMembers = (companyId: string) =>
  useQuery(queryOf('listMembers', { params: { company_id: companyId } }))

export const useAllAudit = () => useInfiniteQuery(pagesOf('listAllAudit', {}))
