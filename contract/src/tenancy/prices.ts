/** What a message costs, by channel and country. */
import { z } from 'zod'
import { channelName, country, messagePrice } from '../vocabulary.ts'

const channelPrices = z.partialRecord(z.enum([...channelName.options, 'whatsapp_reply']), messagePrice)
export const priceBook = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR'),
  default: z.strictObject({
    sms: messagePrice,
    whatsapp: messagePrice,
    telegram: messagePrice,
    email: messagePrice,
    whatsapp_reply: messagePrice.default('0'),
  }),
  countries: z.record(country, channelPrices).default({}),
})
export type PriceBook = z.infer<typeof priceBook>

/** The price book as a file: a row for everywhere, and one for each country with its own prices. */
export const priceColumns = ['country', 'sms', 'whatsapp', 'whatsapp_reply', 'telegram', 'email'] as const
export function priceRows(answer: unknown): Readonly<Record<string, unknown>>[] {
  const { default: everywhere, countries } = priceBook.parse(answer)
  const own = Object.entries(countries).map(([code, prices]) => ({ ...prices, country: code }))
  return [{ ...everywhere, country: 'default' }, ...own]
}
