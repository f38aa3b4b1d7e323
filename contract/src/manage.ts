/** Bodies of `/manage/v1`. */
import { z } from 'zod'
import { accountChoice, appName, appSettings, messageTemplate, routing } from './settings.ts'
import { changesOf } from './settings-change.ts'
import {
  amount,
  blockLevel,
  channelName,
  country,
  keyKind,
  messagePrice,
  nonNegativeAmount,
  plainText,
  positiveAmount,
  timestamp,
  writtenRecipient,
} from './vocabulary.ts'

const companyName = plainText.trim().min(1).max(100)

export const createCompanyBody = z.strictObject({
  name: companyName,
  balance: nonNegativeAmount.optional(),
  metered: z.boolean().optional(),
})
export const companyAnswer = z.object({
  company_id: z.string(),
  name: z.string(),
  balance: amount,
  metered: z.boolean(),
  created_at: timestamp,
  closed_at: timestamp
    .nullable()
    .meta({ description: 'Set for one that is closed: only its sums are left.' }),
})
export const closeCompanyAnswer = z.object({ company_id: z.string(), closed_at: timestamp })
export type CompanyAnswer = z.infer<typeof companyAnswer>

export const updateCompanyBody = z.strictObject({
  name: companyName.optional(),
  metered: z.boolean().optional(),
})

export const creditBody = z.strictObject({ amount: positiveAmount, note: plainText.max(200).optional() })
export const creditAnswer = z.object({ balance: amount })

export const companySpendAnswer = z.object({
  days: z.int(),
  spent: amount.meta({ description: 'What the messages of all its apps cost in so many days, up to now.' }),
  since: timestamp.meta({ description: 'When these days begin; later where the company is younger.' }),
  per_day: amount.meta({ description: 'Counted over at least an hour.' }),
  days_left: z.number().nullable().meta({
    description: 'For how long the balance lasts at that pace; null where nothing is charged or spent.',
  }),
  by_day: z
    .array(z.object({ day: timestamp, spent: amount }))
    .meta({ description: 'The last 30 days in UTC, also those on which nothing was spent.' }),
})

export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: plainText.max(64).optional(),
})
export type PageQuery = z.infer<typeof pageQuery>

/** The query of lists that are nearly always short: without `limit` they are complete, up to `most`. */
export const wholeQuery = (most: number) =>
  z.strictObject({
    limit: z.coerce.number().int().min(1).max(most).default(most),
    cursor: plainText.max(64).optional(),
  })

export const companiesQuery = pageQuery.extend({
  closed: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'For operators: those that are closed, with the sums that are left.' }),
  cursor: plainText.max(200).optional(),
  search: plainText.max(100).optional().meta({ description: 'A part of the name, or an id.' }),
})
export const companiesAnswer = z.object({
  companies: z.array(companyAnswer),
  next_cursor: z.string().nullable(),
})

export const ledgerKind = z.enum(['credit', 'reserve', 'capture', 'return', 'carried'])
export type LedgerKind = z.infer<typeof ledgerKind>
export const ledgerAnswer = z.object({
  entries: z.array(
    z.object({
      entry_id: z.string(),
      kind: ledgerKind,
      amount,
      otp_id: z.string().nullable(),
      note: z.string().nullable(),
      created_at: timestamp,
    }),
  ),
  next_cursor: z.string().nullable(),
})

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

export const createAppBody = appSettings.partial().extend({ name: appName }).strict()
/** Null means the default here too. */
export const shownCreateAppBody = z.strictObject({
  name: appName,
  ...Object.fromEntries(
    Object.entries(appSettings.shape).map(([name, setting]) => [name, setting.nullable().optional()]),
  ),
})
export const updateAppBody = z.strictObject({ name: appName.optional(), ...changesOf(appSettings.shape) })
export const appAnswer = appSettings.extend({
  routing: routing.extend({ accounts: accountChoice }),
  accounts_inherited: z.boolean().meta({
    description:
      'True where the app does not set how accounts are chosen, so that the installation’s setting applies.',
  }),
  app_id: z.string(),
  company_id: z.string(),
  name: z.string(),
  created_at: timestamp,
  twilio_service_sid: z.string().meta({
    description: 'The app’s id for Twilio Verify’s clients, under `/twilio/v2`: `VA` and 32 digits.',
  }),
  twilio_account_sid: z
    .string()
    .meta({ description: 'The company’s id for these clients: `AC` and 32 digits.' }),
  paused_at: timestamp
    .nullable()
    .meta({ description: 'Set while the app is paused: every send is refused.' }),
})
export const deleteAppAnswer = z.object({ app_id: z.string() })
export type AppAnswer = z.infer<typeof appAnswer>

export const appsQuery = wholeQuery(1_000)
export const appsAnswer = z.object({
  apps: z.array(
    z.object({
      app_id: z.string(),
      name: z.string(),
      created_at: timestamp,
      paused_at: timestamp.nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
})

export const createKeyBody = z.strictObject({
  kind: keyKind,
  name: plainText.trim().min(1).max(60).optional(),
})
export const createKeyAnswer = z.object({
  key_id: z.string(),
  kind: keyKind,
  name: z.string().nullable(),
  key: z.string().meta({ description: 'Shown here and never again.' }),
})
export const keysQuery = wholeQuery(500).extend({
  state: z.enum(['live', 'revoked']).optional().meta({ description: 'Absent: both.' }),
})
export const keysAnswer = z.object({
  keys: z.array(
    z.object({
      key_id: z.string(),
      kind: keyKind,
      name: z.string().nullable(),
      created_at: timestamp,
      starts_with: z.string().meta({ description: 'Its first characters, to tell it from others.' }),
      ends_with: z.string().meta({ description: 'Its last four characters.' }),
      last_used_at: timestamp.nullable().meta({ description: 'Within a minute or so.' }),
      calls_24h: z.int().meta({ description: 'Calls of the last day, within a minute or so.' }),
      errors_24h: z.int().meta({ description: 'How many of them were refused.' }),
      revoked_at: timestamp.nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
})
export const revokeKeyAnswer = z.object({ key_id: z.string(), revoked_at: timestamp })

export const blockAnswer = z.object({
  block_id: z.string(),
  level: blockLevel,
  place: z.string().meta({ description: 'Never a whole number: its last four digits are `xxxx`.' }),
  country: z.string().nullable().meta({ description: 'Of a carrier or country; null for others.' }),
  prefix: z
    .string()
    .nullable()
    .meta({ description: 'What the numbers of a range begin with; null for others.' }),
  kind: z.enum(['hold', 'block']).meta({ description: '`hold`: two minutes in which approvals may arrive.' }),
  numbers: z.int().meta({ description: 'New numbers there that were sent to since the debt began to grow.' }),
  approved: z.int().meta({ description: 'How many of them were approved.' }),
  times: z.int().meta({ description: 'Each block is twice as long as the one before.' }),
  started_at: timestamp,
  until: timestamp,
})
export type BlockAnswer = z.infer<typeof blockAnswer>
export const blocksAnswer = z.object({ blocks: z.array(blockAnswer) })

export const eraseBody = z.strictObject({
  recipient: writtenRecipient,
  country: country.nullish().meta({ description: 'Where a number without its calling code is dialled.' }),
})
export const eraseAnswer = z.object({ verifications: z.int() })

export const lintMessageBody = z.strictObject({
  channel: z.enum(['sms', 'whatsapp', 'email']),
  locale: z.string().min(2).max(35),
  template: messageTemplate
    .partial({ subject: true })
    .optional()
    .meta({ description: 'Absent: the text that is shipped for this locale.' }),
})
export const lintMessageAnswer = z.object({
  ok: z.boolean().meta({ description: 'True when it can be saved; there may be warnings.' }),
  encoding: z.enum(['gsm7', 'ucs2']).nullable(),
  segments: z.int().nullable(),
  units: z.int().nullable(),
  price: amount.meta({
    description: 'What one message of this channel costs where no country says otherwise.',
  }),
  rendered: z
    .object({
      subject: z.string().nullable(),
      text: z.string(),
      html: z.string().nullable(),
    })
    .meta({ description: 'As a person would get it, with a made-up code.' }),
  problems: z.array(z.object({ level: z.enum(['error', 'warning']), path: z.string(), message: z.string() })),
})
