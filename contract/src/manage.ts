/** Bodies of `/manage/v1`. */
import { z } from 'zod'
import { appName, appSettings } from './settings.ts'
import {
  amount,
  channelName,
  country,
  keyKind,
  nonNegativeAmount,
  positiveAmount,
  timestamp,
} from './vocabulary.ts'

const companyName = z.string().trim().min(1).max(100)

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
})
export type CompanyAnswer = z.infer<typeof companyAnswer>

export const creditBody = z.strictObject({ amount: positiveAmount, note: z.string().max(200).optional() })
export const creditAnswer = z.object({ balance: amount })

export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(64).optional(),
})
export type PageQuery = z.infer<typeof pageQuery>

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

const channelPrices = z.partialRecord(z.enum([...channelName.options, 'whatsapp_reply']), nonNegativeAmount)
export const priceBook = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR'),
  default: z.strictObject({
    sms: nonNegativeAmount,
    whatsapp: nonNegativeAmount,
    telegram: nonNegativeAmount,
    email: nonNegativeAmount,
    whatsapp_reply: nonNegativeAmount.default('0'),
  }),
  countries: z.record(country, channelPrices).default({}),
})
export type PriceBook = z.infer<typeof priceBook>

export const createAppBody = appSettings.partial().extend({ name: appName }).strict()
export const updateAppBody = appSettings.partial().extend({ name: appName.optional() }).strict()
export const appAnswer = appSettings.extend({
  app_id: z.string(),
  company_id: z.string(),
  name: z.string(),
  created_at: timestamp,
})
export type AppAnswer = z.infer<typeof appAnswer>

export const createKeyBody = z.strictObject({
  kind: keyKind,
  name: z.string().trim().min(1).max(60).optional(),
})
export const createKeyAnswer = z.object({
  key_id: z.string(),
  kind: keyKind,
  name: z.string().nullable(),
  key: z.string().meta({ description: 'Shown here and never again.' }),
})
export const keysAnswer = z.object({
  keys: z.array(
    z.object({
      key_id: z.string(),
      kind: keyKind,
      name: z.string().nullable(),
      created_at: timestamp,
      revoked_at: timestamp.nullable(),
    }),
  ),
})
export const revokeKeyAnswer = z.object({ key_id: z.string(), revoked_at: timestamp })

export const eraseBody = z.strictObject({ recipient: z.string() })
export const eraseAnswer = z.object({ verifications: z.int() })
