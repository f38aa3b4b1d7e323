import { useQuery } from '@tanstack/react-query'
import { companyQuery } from '#lib/app.ts'

/** The company's name; its id until the name is known. */
export const useCompanyName = (companyId: string | null): string | null =>
  useQuery({ ...companyQuery(companyId ?? ''), enabled: companyId !== null }).data?.name ?? companyId
