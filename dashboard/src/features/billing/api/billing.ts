import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { addressOfCall } from '#lib/client.ts'
import { pagesOf, queryOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'

/** Each message has two entries, one of which moves no money, so a page holds many. */
const pageSize = 100

export const useLedger = (companyId: string) =>
  useInfiniteQuery(pagesOf('listLedger', { params: { company_id: companyId }, query: { limit: pageSize } }))

export const ledgerFile = (companyId: string): string =>
  addressOfCall('listLedger', { params: { company_id: companyId } })

export const useRecentSpend = (companyId: string) =>
  useQuery(queryOf('getCompanySpend', { params: { company_id: companyId } }))

export const useCreditCompany = (says: string, onDone: () => void) =>
  useChange('creditCompany', {
    says,
    refreshes: ['getCompany', 'getCompanySpend', 'listLedger', 'listCompanies', 'getAttention'],
    problems: 'form',
    onDone,
  })

/** Finds the app of a verification. */
export function useFindApp(): (otpId: string) => Promise<string> {
  const client = useQueryClient()
  return async (otpId) =>
    (await client.fetchQuery(queryOf('getVerification', { params: { otp_id: otpId } }))).app_id
}
