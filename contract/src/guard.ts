/** Bodies of `/manage/v1` that show what the guard sees of an app. */
import { z } from 'zod'
import { amount, timestamp } from './vocabulary.ts'

const cap = {
  cap: amount.nullable().meta({ description: 'Null where the cap is off.' }),
  source: z.enum(['set', 'learned', 'off']),
}

export const spendAnswer = z.object({
  currency: z.string(),
  day: z.object({
    since: timestamp,
    until: timestamp,
    countries: z.array(
      z.object({
        country: z.string().nullable().meta({ description: 'Null for email addresses.' }),
        spent: amount.meta({ description: 'Less what failed deliveries have returned.' }),
        approved: amount.meta({ description: 'The part of it that was spent on approved verifications.' }),
        ...cap,
      }),
    ),
  }),
  hour: z.object({
    since: timestamp,
    until: timestamp,
    spent: amount,
    approved: amount,
    unverified: amount.meta({ description: 'What the cap holds: `spent` less `approved`.' }),
    ...cap,
  }),
})
export type SpendAnswer = z.infer<typeof spendAnswer>

const ratio = z.number().min(0).max(1)

export const guessingAnswer = z.object({
  window_s: z.int().meta({ description: 'What `guesses` and `failures` are counted over.' }),
  guesses: z.int(),
  failures: z.int().meta({ description: 'How many of them were wrong codes.' }),
  ratio: ratio.nullable().meta({ description: 'Null while there are no guesses.' }),
  usual_ratio: ratio.meta({ description: 'Of the seven days before.' }),
  alarm_ratio: ratio.meta({ description: 'The ratio at which an alarm is raised.' }),
  alarm_failures: z.int().meta({ description: 'How many wrong codes it needs at least.' }),
  alarmed_since: timestamp.nullable(),
  alarmed_until: timestamp
    .nullable()
    .meta({ description: 'Moves on for as long as the ratio stays as it is.' }),
})
export type GuessingAnswer = z.infer<typeof guessingAnswer>
