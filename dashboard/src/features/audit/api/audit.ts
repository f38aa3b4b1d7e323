import { useInfiniteQuery } from '@tanstack/react-query'
import { pagesOf } from '#lib/queries.ts'

export const useCompanyAudit = (companyId: string) =>
  useInfiniteQuery(pagesOf('listAudit', { params: { company_id: companyId } }))

export const useAllAudit = () => useInfiniteQuery(pagesOf('listAllAudit', {}))
