export interface PricesSearch {
  /** A part of a country's name. */
  readonly country?: string | undefined
}

export const parsePricesSearch = ({ country }: Record<string, unknown>): PricesSearch => ({
  country: typeof country === 'string' && country ? country.slice(0, 64) : undefined,
})
