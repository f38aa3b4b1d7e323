/**
 * An app's own rules: conditions on a send, and what then happens.
 *
 * They are asked in the order of the list. A rule in `shadow` only says in the decision what it would have done.
 */
import { z } from 'zod'
import { pageQuery } from '../page.ts'
import {
  amount,
  channelName,
  country,
  ipClass,
  keyKind,
  nonNegativeAmount,
  plainText,
  recipientType,
  timestamp,
} from '../vocabulary.ts'

const mostRules = 20
/** Bounded, since the times of counted sends are stored in one row. */
const mostCounted = 1_000
const daySeconds = 86_400
const mostValues = 250
const minutesOfDay = 1_440

const valuesOf = <Value extends z.ZodType>(value: Value) =>
  z
    .array(value)
    .min(1)
    .max(mostValues)
    .refine((list) => new Set(list).size === list.length, 'must not name a value twice')

const emailDomain = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/,
    'must be a domain in lower case such as example.com, other scripts in their xn-- form',
  )
const prefix = z.string().regex(/^\+[1-9]\d{0,13}$/, 'must be `+` and 1 to 14 digits')

const hasBound = ({ gte, lte }: { gte?: unknown; lte?: unknown }) => gte !== undefined || lte !== undefined
const boundNeeded = 'must have gte, lte or both'
const orderNeeded = 'gte must not be above lte'

const windowSeconds = z.int().min(1).max(daySeconds).meta({ description: 'Seconds.' })
const count = z.int().min(0).max(mostCounted)
export const countedWithin = z
  .strictObject({ gte: count.optional(), lte: count.optional(), window_s: windowSeconds })
  .refine(hasBound, boundNeeded)
  .refine(({ gte = 0, lte = mostCounted }) => gte <= lte, orderNeeded)
  .meta({
    // The window and a bound.
    minProperties: 2,
    description:
      'Sends and resends of this app that were accepted in the last `window_s` seconds, before this one.',
  })

export const priceRange = z
  .strictObject({ gte: nonNegativeAmount.optional(), lte: nonNegativeAmount.optional() })
  .refine(hasBound, boundNeeded)
  .refine(({ gte, lte }) => gte === undefined || lte === undefined || Number(gte) <= Number(lte), orderNeeded)
  .meta({
    minProperties: 1,
    description: 'What the price book asks for the message; a link costs nothing.',
  })

const hourOfDay = z.int().min(0).max(23)
export const hourRange = z
  .strictObject({ gte: hourOfDay.optional(), lte: hourOfDay.optional() })
  .refine(hasBound, boundNeeded)
  .meta({
    minProperties: 1,
    description:
      'Hours of the day in UTC, both included. If `gte` is above `lte`, the time goes over midnight.',
  })

export const when = z
  .strictObject({
    country: valuesOf(country).optional(),
    channel: valuesOf(channelName).optional().meta({
      description: 'On which it would go, after the rules above.',
    }),
    recipient_type: valuesOf(recipientType).optional(),
    email_domain: valuesOf(emailDomain).optional().meta({ description: 'Each with every name below it.' }),
    prefix: valuesOf(prefix).optional().meta({ description: 'The first digits of the number.' }),
    ip_class: valuesOf(z.enum([...ipClass.options, 'unlisted', 'none']))
      .optional()
      .meta({
        description: '`unlisted`: on no list. `none`: no usable `client_ip`.',
      }),
    ip_country: valuesOf(country).optional().meta({
      description:
        'Of the `client_ip`, where a database of countries is among the lists; never without one, or without a usable `client_ip`.',
    }),
    key_kind: valuesOf(keyKind).optional(),
    known: z
      .union([z.boolean(), valuesOf(z.boolean())])
      .optional()
      .meta({
        description: 'Whether the app has approved a verification of this recipient that is still kept.',
      }),
    sends_of_recipient: countedWithin.optional(),
    sends_of_address: countedWithin.optional(),
    sends_of_app: countedWithin.optional(),
    price: priceRange.optional(),
    hour: hourRange.optional(),
  })
  .meta({ description: 'All of them must hold; without any, the rule is for every send.' })

export type RuleConditions = z.infer<typeof when>
export type RuleConditionName = keyof RuleConditions

export const then = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('refuse') }).meta({ description: '403 `RuleBlockedError`.' }),
  z.strictObject({ action: z.literal('hold'), minutes: z.int().min(1).max(minutesOfDay) }).meta({
    description:
      '429 until so many minutes after the first try that was held; then sends to this recipient pass for a day.',
  }),
  z.strictObject({ action: z.literal('channels'), channels: valuesOf(channelName) }).meta({
    description: 'Only these; if none is left, the call is refused because no channel can be used.',
  }),
  z.strictObject({ action: z.literal('link') }).meta({
    description:
      'Only the WhatsApp link; where there is none, the call is refused because no channel can be used.',
  }),
  z
    .strictObject({ action: z.literal('limit'), max: z.int().min(1).max(1_000_000), window_s: windowSeconds })
    .meta({ description: '429 for more than that, over all sends that the rule matches.' }),
  z.strictObject({ action: z.literal('pass') }).meta({
    description:
      'Neither the rules below nor the guard’s lists and its watch over pumping stop it; limits, caps and balance still do.',
  }),
])
export type RuleAction = z.infer<typeof then>

export const ruleMode = z.enum(['off', 'shadow', 'on'])
const ruleId = z.string().regex(/^rul_[0-9a-z]{26}$/, 'must be an id of a rule, `rul_…`')

export const ruleDraft = z.strictObject({
  rule_id: ruleId.optional().meta({ description: 'Of an existing rule; a new one gets its own.' }),
  name: plainText.trim().min(1).max(60).meta({ description: 'What a caller who is refused is told.' }),
  mode: ruleMode,
  when,
  then,
})

const differ = (list: readonly (string | undefined)[]) => {
  const given = list.filter((value) => value !== undefined)
  return new Set(given).size === given.length
}

const drafts = z
  .array(ruleDraft)
  .max(mostRules)
  .refine((rules) => differ(rules.map(({ name }) => name)), 'must not have two rules of one name')
  .refine((rules) => differ(rules.map(({ rule_id }) => rule_id)), 'must not have two rules of one id')

export const rule = ruleDraft.extend({ rule_id: ruleId })
export type OwnRule = z.infer<typeof rule>
/** The list of rules in the form in which it is stored. */
export const ownRules = z.array(rule)

/** The largest number that the column of revisions holds. */
const mostRevisions = 2_147_483_647
const revision = z
  .int()
  .min(0)
  .max(mostRevisions)
  .meta({ description: 'Goes up by one with every change; 0 before the first.' })

export const putRulesBody = z.strictObject({
  revision: revision.meta({
    description: 'The revision that you have read; 409 if another is in force by now.',
  }),
  rules: drafts,
})
export const rulesAnswer = z.object({ revision, rules: z.array(rule) })

export const revisionsQuery = pageQuery
export const revisionsAnswer = z.object({
  revisions: z
    .array(
      z.object({
        revision,
        created_at: timestamp,
        by: z.object({
          actor: z.enum(['person', 'token']),
          person_id: z.string().nullable(),
          email: z.string().nullable(),
        }),
        restored_from: revision
          .nullable()
          .meta({ description: 'The revision whose rules it took back; null if it has new ones.' }),
        rules: z.array(rule),
      }),
    )
    .meta({ description: 'Newest first; the last hundred are kept.' }),
  next_cursor: z.string().nullable(),
})

const mostDays = 30
const dayMs = 86_400_000

export const backtestBody = z
  .strictObject({
    rules: drafts.meta({ description: 'All that are not off count as if they were on.' }),
    from: timestamp,
    to: timestamp,
    cursor: plainText.max(64).optional().meta({ description: '`next_cursor` of the answer before.' }),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), { path: ['to'], error: 'must be after from' })
  .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= mostDays * dayMs, {
    path: ['from'],
    error: `must be at most ${mostDays} days before to`,
  })

const figures = {
  would_refuse: z.int(),
  would_reroute: z.int(),
  would_hold: z.int(),
  would_pass: z
    .int()
    .meta({ description: 'Of the sends that were refused at the time: how many would pass now.' }),
  approved_among_them: z.int().meta({
    description: 'How many of those refused, held or rerouted were of a verification that was approved.',
  }),
}

export const backtestAnswer = z.object({
  sends: z.int().meta({ description: 'Sends and resends that were looked at, accepted or refused.' }),
  ...figures,
  people: z.int().meta({
    description:
      'Recipients among them, each once within this answer: of several pages the sum may count one twice.',
  }),
  cost_saved: amount.meta({
    description:
      'What was spent on them less what the draft would spend, by the price book. Below zero if it would spend more. A send that was refused at the time has cost nothing.',
  }),
  unknown: z
    .int()
    .meta({ description: 'Sends for which a condition could not be evaluated; they count as not matched.' }),
  unknown_conditions: z.array(z.string()),
  rules: z
    .array(z.object({ name: z.string(), matched: z.int(), ...figures }))
    .meta({ description: 'In the order of the draft; by the rule that decided.' }),
  examples: z.array(
    z.object({
      kind: z.enum(['send', 'resend']),
      otp_id: z.string().nullable(),
      at: timestamp,
      masked_recipient: z.string(),
      country: z.string().nullable(),
      channel: channelName.nullable(),
      rule: z
        .string()
        .nullable()
        .meta({ description: 'The rule that decides; null where only the rules of that time refused it.' }),
      would: z.enum(['refuse', 'hold', 'reroute', 'pass']),
      is_approved: z.boolean(),
    }),
  ),
  looked_to: timestamp.meta({ description: 'The end of the time that this answer covers.' }),
  complete: z.boolean(),
  next_cursor: z.string().nullable().meta({
    description:
      'For the next call, which continues where this answer ends. Add up the figures of all answers.',
  }),
})
export type BacktestAnswer = z.infer<typeof backtestAnswer>
