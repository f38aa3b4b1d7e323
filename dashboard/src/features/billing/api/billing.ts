import { useInfiniteQuery, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { appsQuery } from '#lib/app.ts'
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

/** Each app is asked for its own figures, so only companies with few apps are added up. */
export const mostApps = 20

/** The figures of the month by country, one answer for each app. */
export function useMonthByCountry(companyId: string, month: { readonly from: string; readonly to: string }) {
  const apps = useQuery(appsQuery(companyId))
  const asked = apps.data && apps.data.apps.length <= mostApps ? apps.data.apps : []
  const answers = useQueries({
    queries: asked.map(({ app_id }) =>
      queryOf('getStats', { params: { app_id }, query: { ...month, by: 'country' } }),
    ),
  })
  const rows = answers.flatMap(({ data }) => data ?? [])
  const isWhole = apps.data !== undefined && rows.length === asked.length
  return {
    data: isWhole ? { answers: rows, count: apps.data.apps.length } : undefined,
    error: apps.error ?? answers.find(({ error }) => error)?.error ?? null,
    refetch: () => Promise.all([apps, ...answers].map((one) => one.refetch())),
  }
}

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
