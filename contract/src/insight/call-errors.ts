/** Errors that callers with a key got. */
import { z } from 'zod'
import { pageQuery } from '../page.ts'
import { plainText, rangeEnd, timestamp } from '../vocabulary.ts'

const endpoint = plainText
  .max(100)
  .meta({ description: 'Method and path as documented, such as `POST /api/v1/otp/send`.' })

export const errorsQuery = pageQuery.extend({
  key_id: plainText.max(64).optional(),
  endpoint: endpoint.optional(),
  type: plainText.max(64).optional().meta({ description: 'Such as `ValidationError`.' }),
  status: z.coerce.number().int().min(400).max(599).optional().meta({ description: 'Of the answer.' }),
  request_id: plainText.max(64).optional(),
})
export type ErrorsQuery = z.infer<typeof errorsQuery>

const kind = {
  key_id: z.string(),
  endpoint: z.string(),
  status: z.int(),
  type: z.string(),
}

export const listedError = z.object({
  error_id: z.string(),
  ...kind,
  message: z.string().meta({ description: 'As it was answered; what the caller typed is left out.' }),
  details: z.record(z.string(), z.unknown()),
  request_id: z.string(),
  created_at: timestamp,
})
export type ListedError = z.infer<typeof listedError>

export const errorsAnswer = z.object({
  errors: z.array(listedError),
  next_cursor: z.string().nullable(),
})

export const errorStatsQuery = z.strictObject({
  from: rangeEnd.optional().meta({ description: 'Default: a day before `to`. At most 30 days.' }),
  to: rangeEnd.optional().meta({ description: 'Default: now.' }),
})
export const errorStatsAnswer = z.object({
  from: timestamp,
  to: timestamp,
  total: z.int(),
  kinds: z
    .array(z.object({ ...kind, count: z.int(), last_at: timestamp }))
    .meta({ description: 'Most errors first.' }),
  hours: z
    .array(z.object({ starts_at: timestamp, status: z.int(), type: z.string(), count: z.int() }))
    .meta({ description: 'Newest first; only hours in which there were errors. In UTC.' }),
})
export type ErrorStatsAnswer = z.infer<typeof errorStatsAnswer>
