/** Bodies about the keys of an app. */
import { z } from 'zod'
import { wholeQuery } from '../page.ts'
import { keyKind, plainText, timestamp } from '../vocabulary.ts'

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
      errors_24h: z.int().meta({ description: 'How many of them were answered with an error.' }),
      revoked_at: timestamp.nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
})
export const revokeKeyAnswer = z.object({ key_id: z.string(), revoked_at: timestamp })
