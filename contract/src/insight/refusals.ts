/** What did not happen: sends and resends that were refused, and who they were for. */
import { z } from 'zod'
import { pageQuery } from '../page.ts'
import {
  amount,
  blockLevel,
  channelName,
  country,
  moment,
  plainText,
  rangeEnd,
  timestamp,
  writtenRecipient,
} from '../vocabulary.ts'
import { listedVerification, shownException } from './insight.ts'

export const refusalsQuery = pageQuery.extend({
  rule: plainText.max(64).optional().meta({ description: 'As a decision names it, such as `geo`.' }),
  type: plainText.max(64).optional().meta({ description: 'Of the error, such as `GeoBlockedError`.' }),
  country: country.optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export type RefusalsQuery = z.infer<typeof refusalsQuery>

export const listedRefusal = z.object({
  refusal_id: z.string(),
  kind: z.enum(['send', 'resend']),
  otp_id: z.string().nullable().meta({ description: 'Of a resend.' }),
  error_type: z.string(),
  rule: z.string(),
  why: z.string().meta({ description: 'One sentence or a few, made from the facts.' }),
  facts: z
    .record(z.string(), z.unknown())
    .meta({ description: 'What the rule decided on, in the same form as in a decision.' }),
  masked_recipient: z.string().meta({ description: '`****` for what could not be read as a recipient.' }),
  country: z.string().nullable(),
  channel: channelName
    .nullable()
    .meta({ description: 'On which it would have gone; null where no channel could be used.' }),
  key_id: z.string().nullable(),
  client_ip: z.string().nullable(),
  price: amount.nullable().meta({
    description: 'What all of them would have cost by the price book; null where no channel could be used.',
  }),
  count: z.int().meta({
    description:
      'More than 1 where equal refusals were folded together: recipient, address, verification and facts are those of the first. Country, channel and key are null where they differed.',
  }),
  created_at: timestamp,
})
export type ListedRefusal = z.infer<typeof listedRefusal>

const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'There may be more behind it even where a page is short or empty.' })

export const refusalsAnswer = z.object({ refusals: z.array(listedRefusal), next_cursor: nextCursor })

export const refusalStatsQuery = z.strictObject({
  from: rangeEnd.optional().meta({ description: 'Default: seven days ago.' }),
  to: rangeEnd.optional().meta({ description: 'Default: now.' }),
  by: z.enum(['hour', 'day']).default('day'),
})
const refused = {
  count: z.int(),
  price: amount.meta({ description: 'What they would have cost, as far as a channel could be used.' }),
}
export const refusalStatsAnswer = z.object({
  from: timestamp,
  to: timestamp,
  by: z.enum(['hour', 'day']),
  total: z.object(refused),
  rules: z.array(z.object({ rule: z.string(), ...refused })).meta({ description: 'Most refusals first.' }),
  rows: z
    .array(
      z.object({
        starts_at: timestamp.meta({ description: 'Of the hour or day, in UTC.' }),
        rule: z.string(),
        ...refused,
      }),
    )
    .meta({ description: 'Newest first; only hours and days in which something was refused.' }),
  places: z
    .array(
      z.object({
        rule: z.string(),
        country: z
          .string()
          .nullable()
          .meta({ description: 'Null for email addresses and what is no recipient.' }),
        level: blockLevel.nullable().meta({
          description: 'What the guard against pumping had closed there; null for every other rule.',
        }),
        place: z.string().nullable().meta({
          description:
            'As in a block; null without a level, and for client addresses, which are counted together.',
        }),
        ...refused,
        points: z
          .array(
            z.object({
              starts_at: timestamp.meta({ description: 'Of the hour or day, in UTC.' }),
              ...refused,
            }),
          )
          .meta({ description: 'Oldest first.' }),
      }),
    )
    .meta({
      description:
        'Where most was refused, twenty at most. What is left of a rule was refused elsewhere, or in more places at once than are told apart.',
    }),
})
export type RefusalStatsAnswer = z.infer<typeof refusalStatsAnswer>

export const heldPeopleQuery = z.strictObject({
  from: rangeEnd.optional().meta({ description: 'Default: seven days ago.' }),
  to: rangeEnd.optional().meta({ description: 'Default: now.' }),
})
export const heldPeopleAnswer = z.object({
  from: timestamp,
  to: timestamp,
  held_sends: z.int().meta({
    description: 'Sends and resends that the guard against pumping refused.',
  }),
  people: z
    .int()
    .meta({ description: 'How many different recipients they were for, as far as it is known.' }),
  approved_later: z.int().meta({
    description:
      'How many of those people this app has approved since they were first held back, however they got their code.',
  }),
  is_complete: z.boolean().meta({
    description:
      'False where more people may have been held back: only the newest 2,000 refusals are looked at, those of a flood share rows, and old ones are deleted.',
  }),
})
export type HeldPeopleAnswer = z.infer<typeof heldPeopleAnswer>

export const searchBody = z.strictObject({
  recipient: writtenRecipient,
  country: country.nullish().meta({ description: 'Where a number without its calling code is dialled.' }),
  problem: z.enum(['failed_delivery', 'error', 'refusal']).nullish().meta({
    description:
      '`refusal`: only what was refused. The others: only verifications with such a message. Null: everything.',
  }),
  cursor: plainText.max(64).nullish(),
})
export type SearchProblem = NonNullable<z.infer<typeof searchBody>['problem']>
const ofApp = { app_id: z.string() }
export const searchAnswer = z.object({
  verifications: z.array(listedVerification.extend(ofApp)),
  refusals: z.array(listedRefusal.extend(ofApp)),
  exception: shownException.nullable(),
  next_cursor: nextCursor,
})
