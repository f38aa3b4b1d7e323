/** Bodies about companies and their money. */
import { z } from 'zod'
import { pageQuery } from '../page.ts'
import { amount, nonNegativeAmount, plainText, positiveAmount, timestamp } from '../vocabulary.ts'

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
export const ledgerEntry = z.object({
  entry_id: z.string(),
  kind: ledgerKind,
  amount,
  otp_id: z.string().nullable(),
  note: z.string().nullable(),
  created_at: timestamp,
})
export const ledgerAnswer = z.object({
  entries: z.array(ledgerEntry),
  next_cursor: z.string().nullable(),
})
