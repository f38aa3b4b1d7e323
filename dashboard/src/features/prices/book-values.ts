/** The price book while it is edited. It is saved whole. */
import type { PriceBook } from '@countersign/contract'
import { countryRows, type Priced, pricedLabels, pricedNames } from '#components/prices/price-rows.ts'
import { amountProblem, trimAmount } from '#lib/amount.ts'
import { countryName } from '#lib/format.ts'

export interface CountryPrices {
  readonly country: string
  /** Empty: the price of everywhere else. */
  readonly prices: Readonly<Record<Priced, string>>
}

export type BookValues = {
  readonly currency: string
  readonly countries: readonly CountryPrices[]
} & { readonly [Name in `default.${Priced}`]: string }

const typed = (prices: Readonly<Partial<Record<Priced, string>>>, name: Priced) =>
  trimAmount(prices[name] ?? '')

const allTyped = (prices: Readonly<Partial<Record<Priced, string>>>) => ({
  sms: typed(prices, 'sms'),
  whatsapp: typed(prices, 'whatsapp'),
  whatsapp_reply: typed(prices, 'whatsapp_reply'),
  telegram: typed(prices, 'telegram'),
  email: typed(prices, 'email'),
})

export const noPrices = allTyped({})

export const valuesOf = (book: PriceBook): BookValues => ({
  currency: book.currency,
  'default.sms': typed(book.default, 'sms'),
  'default.whatsapp': typed(book.default, 'whatsapp'),
  'default.whatsapp_reply': typed(book.default, 'whatsapp_reply'),
  'default.telegram': typed(book.default, 'telegram'),
  'default.email': typed(book.default, 'email'),
  countries: countryRows(book).flatMap(({ country, prices }) =>
    country === null ? [] : [{ country, prices: allTyped(prices) }],
  ),
})

const given = (prices: CountryPrices['prices']) =>
  Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== ''))

/** A country without a price of its own is no row of the book. */
export const bookOf = (values: BookValues) => ({
  currency: values.currency,
  default: {
    sms: values['default.sms'],
    whatsapp: values['default.whatsapp'],
    whatsapp_reply: values['default.whatsapp_reply'],
    telegram: values['default.telegram'],
    email: values['default.email'],
  },
  countries: Object.fromEntries(
    values.countries
      .map(({ country, prices }) => [country, given(prices)] as const)
      .filter(([, prices]) => Object.keys(prices).length > 0),
  ),
})

export const cellProblem = (price: string): string | undefined =>
  price === '' ? undefined : amountProblem(price)

function countriesProblem(rows: readonly CountryPrices[]): string | undefined {
  for (const { country, prices } of rows) {
    const name = pricedNames.find((one) => cellProblem(prices[one]))
    if (name) return `${countryName(country)}, ${pricedLabels[name]}: ${cellProblem(prices[name])}`
  }
  return undefined
}

export const problemsOf = (values: BookValues) => ({
  currency: /^[A-Z]{3}$/.test(values.currency) ? undefined : 'Enter an ISO 4217 code such as EUR',
  countries: countriesProblem(values.countries),
  ...Object.fromEntries(
    pricedNames.map((name) => [`default.${name}`, amountProblem(values[`default.${name}`])]),
  ),
})
