/** The price book while it is edited, with the names of the API. It is saved whole. */
import type { PriceBook } from '@countersign/contract'
import { countryRows, type Priced } from '#components/prices/price-rows.ts'
import { trimAmount } from '#lib/amount.ts'

/** An empty price of a country means that the default price applies. */
type Prices = Readonly<Record<Priced, string>>

export interface BookValues {
  readonly currency: string
  readonly default: Prices
  readonly countries: Readonly<Record<string, Prices>>
}

const typed = (prices: Readonly<Partial<Prices>>): Prices => ({
  sms: trimAmount(prices.sms ?? ''),
  whatsapp: trimAmount(prices.whatsapp ?? ''),
  whatsapp_reply: trimAmount(prices.whatsapp_reply ?? ''),
  telegram: trimAmount(prices.telegram ?? ''),
  email: trimAmount(prices.email ?? ''),
})

export const noPrices = typed({})

export const valuesOf = (book: PriceBook): BookValues => ({
  currency: book.currency,
  default: typed(book.default),
  countries: Object.fromEntries(
    countryRows(book).flatMap(({ country, prices }) => (country === null ? [] : [[country, typed(prices)]])),
  ),
})

const given = (prices: Prices) =>
  Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== ''))

/** A country without a price of its own is left out of the book. */
export const bookOf = ({ currency, default: everywhere, countries }: BookValues) => ({
  currency,
  default: everywhere,
  countries: Object.fromEntries(
    Object.entries(countries)
      .map(([country, prices]) => [country, given(prices)] as const)
      .filter(([, prices]) => Object.keys(prices).length > 0),
  ),
})
