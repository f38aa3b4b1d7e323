/** The price book as a file: a row for everywhere, and one for each country with prices of its own. */
import type { PriceBook } from '@countersign/contract'
import { pricedNames as channels, type Priced } from '#components/prices/price-rows.ts'
import { type BookValues, noPrices, valuesOf } from './book-values.ts'
import { readCsv } from './read-csv.ts'

const everywhere = 'default'

export function csvOfBook(book: PriceBook): string {
  const { default: prices, countries } = valuesOf(book)
  const rows = [[everywhere, prices] as const, ...Object.entries(countries)]
  const lines = rows.map(([country, own]) => [country, ...channels.map((channel) => own[channel])].join(','))
  return `${[['country', ...channels].join(','), ...lines].join('\r\n')}\r\n`
}

export type ReadBook =
  | { readonly values: BookValues; readonly problem: null }
  | { readonly values: null; readonly problem: string }

/** The file is the whole book: a country that is not in it has the default prices. */
export function bookOfCsv(text: string, book: PriceBook, countryCodes: readonly string[]): ReadBook {
  const [header = [], ...rows] = readCsv(text)
  const names = header.map((name) => name.toLowerCase())
  const unknown = names.find((name) => name !== 'country' && !channels.some((channel) => channel === name))
  if (names[0] !== 'country')
    return problem(`The first row must begin with country, then ${channels.join(', ')}.`)
  if (unknown !== undefined) return problem(`${unknown} is not a channel: use ${channels.join(', ')}.`)
  const { currency, default: before } = valuesOf(book)
  const countries: Record<string, BookValues['default']> = {}
  let prices: BookValues['default'] | null = null
  for (const [index, row] of rows.entries()) {
    const country = row[0] ?? ''
    const read = Object.fromEntries(names.map((name, place) => [name, row[place] ?? '']))
    const bad = channels.find((channel) => !isPrice(read[channel] ?? ''))
    if (bad) return problem(`Row ${index + 2}: ${read[bad]} is not a price.`)
    if (country.toLowerCase() === everywhere) prices = { ...before, ...given(read) }
    else if (!countryCodes.includes(country.toUpperCase())) {
      return problem(`Row ${index + 2}: ${country || 'an empty cell'} is not a country code such as GB.`)
    } else countries[country.toUpperCase()] = { ...noPrices, ...given(read) }
  }
  return { values: { currency, default: prices ?? before, countries }, problem: null }
}

const problem = (text: string): ReadBook => ({ values: null, problem: text })
const isPrice = (text: string) => /^(?:\d{1,7}(?:\.\d{1,6})?)?$/.test(text)
const given = (read: Readonly<Record<string, string>>): Partial<Record<Priced, string>> =>
  Object.fromEntries(channels.flatMap((channel) => (read[channel] ? [[channel, read[channel]]] : [])))

export interface PriceChange {
  /** Null for the default prices. */
  readonly country: string | null
  readonly channel: Priced
  /** Empty if the default price applies. */
  readonly before: string
  readonly after: string
}

/** The prices that would change: the defaults, then countries in alphabetical order. */
export function changesBetween(book: PriceBook, next: BookValues): PriceChange[] {
  const now = valuesOf(book)
  const countries = [...new Set([...Object.keys(now.countries), ...Object.keys(next.countries)])].sort()
  const rows = [
    [null, now.default, next.default] as const,
    ...countries.map(
      (country) =>
        [country, now.countries[country] ?? noPrices, next.countries[country] ?? noPrices] as const,
    ),
  ]
  return rows.flatMap(([country, before, after]) =>
    channels
      .filter((channel) => !isSame(before[channel], after[channel]))
      .map((channel) => ({ country, channel, before: before[channel], after: after[channel] })),
  )
}

/** Whether two prices are equal, as 0.5 and 0.50 are. */
const isSame = (one: string, other: string) =>
  one === other || (one !== '' && other !== '' && plain(one) === plain(other))
const plain = (price: string) => (price.includes('.') ? price.replace(/0+$/, '').replace(/\.$/, '') : price)
