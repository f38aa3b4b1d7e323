/** The price book as a table. */
import type { PriceBook } from '@countersign/contract'
import { countryName } from '#lib/format.ts'

export const pricedNames = ['sms', 'whatsapp', 'whatsapp_reply', 'telegram', 'email'] as const
export type Priced = (typeof pricedNames)[number]

export const pricedLabels: Readonly<Record<Priced, string>> = {
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  whatsapp_reply: 'WhatsApp reply',
  telegram: 'Telegram',
  email: 'Email',
}

export const replyNote = 'The code that answers a person’s message. A link itself costs nothing.'

export interface PriceRow {
  /** Null for the default prices. */
  readonly country: string | null
  readonly prices: Readonly<Partial<Record<Priced, string>>>
}

export const matchesCountry = (country: string, search: string): boolean =>
  `${country} ${countryName(country)}`.toLowerCase().includes(search.trim().toLowerCase())

export const countryRows = ({ countries }: PriceBook): readonly PriceRow[] =>
  Object.entries(countries)
    .map(([country, prices]) => ({ country, prices }))
    .sort((one, other) => countryName(one.country).localeCompare(countryName(other.country), 'en'))
