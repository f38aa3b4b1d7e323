/** Money in the API is a decimal string of one currency, which the price book names. */
import { useQuery } from '@tanstack/react-query'
import { queryOf } from './queries.ts'

export const pricesQuery = queryOf('getPrices', {})

export function useCurrency(): string | null {
  return useQuery({ ...pricesQuery, staleTime: 5 * 60_000 }).data?.currency ?? null
}

export type Decimals = 'all' | 'short' | number

/** At least two decimals, and up to six that are not zero, since prices are fractions of a cent. `short` is two decimals,
 *  or two significant digits for less than a cent. A fixed number of decimals aligns a column. */
export function formatMoney(amount: string, currency: string | null, decimals: Decimals = 'all'): string {
  const value = Number(amount)
  const options = fractionOf(value, decimals)
  if (!currency) return new Intl.NumberFormat('en', options).format(value)
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...options }).format(value)
}

function fractionOf(value: number, decimals: Decimals): Intl.NumberFormatOptions {
  if (typeof decimals === 'number')
    return { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  if (decimals === 'short' && value !== 0 && Math.abs(value) < 0.01) return { maximumSignificantDigits: 2 }
  return { minimumFractionDigits: 2, maximumFractionDigits: decimals === 'all' ? 6 : 2 }
}
