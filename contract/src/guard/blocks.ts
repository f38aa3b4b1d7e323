/** What the guard against pumping holds back now. */
import { z } from 'zod'
import { blockLevel, timestamp } from '../vocabulary.ts'

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
