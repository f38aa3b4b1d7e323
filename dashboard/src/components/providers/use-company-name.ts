import { useQuery } from '@tanstack/react-query'
import { companyQuery } from '#lib/app.ts'

/** Until it is known, the id stands in. */
export const useCompanyName = (companyId: string | null): string | null =>
  useQuery({ ...companyQuery(companyId ?? ''), enabled: companyId !== null }).data?.name ?? companyId
