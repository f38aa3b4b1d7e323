/** What is asked of a list that comes in pages. */
import { z } from 'zod'
import { plainText } from './vocabulary.ts'

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
