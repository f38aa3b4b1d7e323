/** Alerts: who is told what, how, and when not. */
import { z } from 'zod'
import { plainText, timestamp } from '../vocabulary.ts'

/** What an alert may be about: the same as what needs attention. `alertUnits` says what each threshold means. */
export const alertRuleNames = [
  'low_balance',
  'failing_provider',
  'conversion_drop',
  'pumping_blocks',
  'pumping_learning',
  'pumping_misfit',
  'wrong_codes',
  'webhook_paused',
  'spend_cap',
  'no_messages_delivered',
  'ip_source',
  'partitions_short',
  'canary_failed',
] as const
export const alertRuleName = z.enum(alertRuleNames)
export type AlertRuleName = z.infer<typeof alertRuleName>

/** The unit of each rule's threshold. A rule that is not listed counts the minutes that a state has lasted. */
export const alertUnits = {
  low_balance: 'days',
  conversion_drop: 'percent',
  spend_cap: 'percent',
  partitions_short: 'days',
} as const satisfies Partial<Record<AlertRuleName, string>>

export const alertDefaults: Readonly<Record<AlertRuleName, number>> = {
  low_balance: 1,
  failing_provider: 2,
  conversion_drop: 30,
  pumping_blocks: 0,
  pumping_learning: 0,
  pumping_misfit: 0,
  wrong_codes: 0,
  webhook_paused: 0,
  spend_cap: 80,
  no_messages_delivered: 0,
  ip_source: 0,
  partitions_short: 3,
  canary_failed: 0,
}

const threshold = z.number().min(0).max(1_000).nullable().meta({
  description:
    '`low_balance`: days that the balance lasts. `conversion_drop`: percent below what is usual. `spend_cap`: percent of the cap. `partitions_short`: days ahead. The others: minutes that it has lasted. Null: the default.',
})

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00')
const isTimeZone = (name: string) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
export const quietHours = z
  .strictObject({
    from: timeOfDay,
    to: timeOfDay,
    time_zone: plainText
      .max(64)
      .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
      .default('UTC'),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'must not be the same as from' })
  .meta({
    description:
      'Nothing is sent in these hours; what is still true afterwards is sent then. `from` may be later than `to`.',
  })

const mailAddress = z.email('must be an email address').max(320)
const webAddress = z.url({ protocol: /^https?$/, error: 'must be an https address' }).max(2_000)
const quiet = { quiet_hours: quietHours.nullable().default(null) }
export const alertChannel = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('email'), to: mailAddress, ...quiet }),
    z.strictObject({ kind: z.literal('webhook'), to: webAddress, ...quiet }),
    z.strictObject({ kind: z.literal('slack'), to: webAddress, ...quiet }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be one of email, webhook, slack' : undefined) },
)
export type AlertChannel = z.infer<typeof alertChannel>

const rule = z.strictObject({
  enabled: z.boolean(),
  threshold: threshold.optional(),
  quiet_hours: z
    .boolean()
    .default(true)
    .meta({ description: 'False: it is sent in the quiet hours of a channel too.' }),
  recovery: z.boolean().default(true).meta({ description: 'False: nothing is sent when it is over.' }),
})
const activeAlert = z.object({
  rule: alertRuleName,
  subject: z.string(),
  severity: z.enum(['warning', 'critical']),
  message: z.string(),
  since: timestamp,
})

export const putAlertsBody = z.strictObject({
  channels: z.array(alertChannel).max(10),
  rules: z
    .partialRecord(alertRuleName, rule)
    .default({})
    .meta({ description: 'Those that are not named are on, with their default threshold.' }),
  // So that what was read can be sent back. A secret is refused: it would seem to be set.
  signing_secret: z.null().optional().meta({ description: 'Ignored, as is `active`: an answer of GET.' }),
  active: z.array(activeAlert).max(1_000).optional(),
})

export const alertsAnswer = z.object({
  channels: z.array(
    z.object({
      kind: z.enum(['email', 'webhook', 'slack']),
      to: z.string(),
      quiet_hours: z.object({ from: z.string(), to: z.string(), time_zone: z.string() }).nullable(),
    }),
  ),
  rules: z.record(
    alertRuleName,
    z.object({
      enabled: z.boolean(),
      threshold: z.number(),
      quiet_hours: z.boolean(),
      recovery: z.boolean(),
    }),
  ),
  signing_secret: z.string().nullable().meta({
    description:
      'Signs what goes to webhooks. Shown once, when the first webhook is set, and when it is rotated; null otherwise.',
  }),
  active: z
    .array(activeAlert)
    .meta({ description: 'The alerts that are on: sent, or waiting for quiet hours to end.' }),
})
export type AlertsAnswer = z.infer<typeof alertsAnswer>

export const testAlertsAnswer = z.object({
  results: z.array(
    z.object({ kind: z.enum(['email', 'webhook', 'slack']), ok: z.boolean(), detail: z.string() }),
  ),
})
