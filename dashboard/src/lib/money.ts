/** Money in the API is a decimal string of one currency, which the price book names. */
import { useQuery } from '@tanstack/react-query'
import { queryOf } from './queries.ts'

export const pricesQuery = queryOf('getPrices', {})

export function useCurrency(): string | null {
  return useQuery({ ...pricesQuery, staleTime: 5 * 60_000 }).data?.currency ?? null
}

export type Decimals = 'all' | 'short' | number

/** At least two decimals, and as many of the six as say something: prices are fractions of a cent. A number of
 *  decimals keeps the points of a column under one another. */
export function formatMoney(amount: string, currency: string | null, decimals: Decimals = 'all'): string {
  const value = Number(amount)
  const options = {
    minimumFractionDigits: typeof decimals === 'number' ? decimals : 2,
    maximumFractionDigits: typeof decimals === 'number' ? decimals : decimals === 'all' ? 6 : 2,
  }
  if (!currency) return new Intl.NumberFormat('en', options).format(value)
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...options }).format(value)
}
