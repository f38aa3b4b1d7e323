/** Bodies of `/manage/v1` that show what the guard sees of an app. */
import { z } from 'zod'
import { amount, blockLevel, rangeEnd, timestamp } from '../vocabulary.ts'

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
  usual_ratio: ratio
    .nullable()
    .meta({ description: 'Of the seven days before. Null while there were no guesses in them.' }),
  alarm_ratio: ratio.meta({ description: 'The ratio at which an alarm is raised.' }),
  alarm_failures: z.int().meta({ description: 'How many wrong codes it needs at least.' }),
  alarmed_since: timestamp.nullable(),
  alarmed_until: timestamp
    .nullable()
    .meta({ description: 'Moves on for as long as the ratio stays as it is.' }),
})
export type GuessingAnswer = z.infer<typeof guessingAnswer>

const heldBack = {
  held: z.int().meta({ description: 'Sends that were held back.' }),
  watched: z.int().meta({
    description: 'Sends that would have been held back, where the guard only watches or learns.',
  }),
}
export const debtsQuery = z.strictObject({
  from: rangeEnd.optional().meta({ description: 'Default: a day before `to`.' }),
  to: rangeEnd.optional().meta({ description: 'Default: now.' }),
})
export const debtsAnswer = z.object({
  from: timestamp,
  to: timestamp,
  step_s: z.int().meta({ description: 'How far points are apart: 300, and more for longer ranges of time.' }),
  places: z
    .array(
      z.object({
        level: blockLevel,
        place: z.string().meta({ description: 'As in a block.' }),
        ...heldBack,
        held_price: amount.meta({ description: 'What the sends held back would have cost.' }),
        watched_price: amount.meta({ description: 'What the watched sends would have cost.' }),
        points: z
          .array(
            z.object({
              at: timestamp.meta({ description: 'Where the step begins.' }),
              debt: z.number().meta({ description: 'What the place owed at its worst.' }),
              threshold: z.number().meta({ description: 'What it may owe before it is closed.' }),
              ...heldBack,
            }),
          )
          .meta({ description: 'Oldest first, without steps in which next to nothing was owed.' }),
      }),
    )
    .meta({ description: 'Those that held back most, and then those that owed most: twelve at most.' }),
})
export type DebtsAnswer = z.infer<typeof debtsAnswer>
