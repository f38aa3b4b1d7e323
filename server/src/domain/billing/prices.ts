import { type ChannelName, type PriceBook, priceBook } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { type ChangeWatch, raiseRevision } from '../../platform/remember.ts'
import { costOf, type Provider } from '../routing/index.ts'
import { parseMicros } from './money.ts'
import * as store from './store.ts'

/** The prices of a new installation, until the operator sets others. */
const shippedPrices: PriceBook = {
  currency: 'EUR',
  default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
  countries: {},
}

export type Priced = ChannelName | 'whatsapp_reply'
export type ReadPrices = () => Promise<PriceBook>

export const readPrices = async (database: Database): Promise<PriceBook> =>
  (await store.findPrices(database)) ?? shippedPrices

export function createPriceReader(database: Database, watch: ChangeWatch): ReadPrices {
  const read = watch.remember(() => readPrices(database), 1)
  return async () => (await read('')) ?? shippedPrices
}

export async function setPrices(
  { database }: { readonly database: Database },
  book: PriceBook,
): Promise<PriceBook> {
  const parsed = priceBook.parse(book)
  await database.transaction(async (transaction) => {
    await store.putPrices(transaction, parsed)
    await raiseRevision(transaction)
  })
  return parsed
}

export function priceOf(book: PriceBook, channel: Priced, country: string | null): bigint {
  const special = country === null ? undefined : book.countries[country]?.[channel]
  return parseMicros(special ?? book.default[channel])
}

/** What a message costs at one account, or by the price book if nobody has set that. */
export function priceOfAccount(
  book: PriceBook,
  account: Provider,
  channel: ChannelName,
  country: string | null,
): bigint {
  const cost = costOf(account, country)
  return cost === null ? priceOf(book, channel, country) : parseMicros(cost)
}
