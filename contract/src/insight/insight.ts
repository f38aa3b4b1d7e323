/** What happened: verifications, figures, what needs attention. */
import { z } from 'zod'
import { pageQuery } from '../page.ts'
import { recordedDecision } from '../verification/decision.ts'
import { deliveryAnswer, statusAnswer } from '../verification/otp.ts'
import {
  amount,
  channelName,
  country,
  deliveryStatus,
  exceptionKind,
  moment,
  otpStatus,
  plainText,
  rangeEnd,
  recipientType,
  timestamp,
  writtenRecipient,
} from '../vocabulary.ts'
import { eventType } from '../webhooks/events.ts'
import { eventStatus } from '../webhooks/webhooks.ts'

const messageProblem = z.enum(['failed_delivery', 'error'])
export type MessageProblem = z.infer<typeof messageProblem>

export const verificationsQuery = pageQuery.extend({
  otp_id: plainText.max(64).optional(),
  recipient: writtenRecipient.optional().meta({
    description:
      'The whole number or address, as people write it. Addresses of pages and calls get logged: prefer the search.',
  }),
  status: otpStatus.optional(),
  channel: channelName.optional(),
  country: country.optional().meta({
    description:
      'Only numbers of this country. Beside a recipient also where a number without its calling code is dialled.',
  }),
  problem: messageProblem
    .optional()
    .meta({ description: '`failed_delivery`: a message failed. `error`: one has an error, failed or not.' }),
  error_code: plainText
    .max(64)
    .optional()
    .meta({ description: 'Of a message, such as `expired` or a code of the provider’s.' }),
  from: moment.optional(),
  to: moment.optional(),
})
export type VerificationsQuery = z.infer<typeof verificationsQuery>

export const listedVerification = z.object({
  otp_id: z.string(),
  status: otpStatus,
  channel: channelName,
  masked_recipient: z.string(),
  recipient_type: recipientType,
  country: z.string().nullable(),
  sends: z.int(),
  attempts: z.int(),
  delivery_status: deliveryStatus
    .nullable()
    .meta({ description: 'Of the newest message, if there was one.' }),
  created_at: timestamp,
  verified_at: timestamp.nullable(),
})
export type ListedVerification = z.infer<typeof listedVerification>
export const verificationsAnswer = z.object({
  verifications: z.array(listedVerification),
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: 'There may be more behind it even where a page is short or empty.' }),
  searched_to: timestamp
    .nullable()
    .meta({ description: 'How far back this page has looked; null on the last one.' }),
})

export const timelineEntry = z.object({
  at: timestamp,
  kind: z.enum([
    'started',
    'resent',
    'refused',
    'queued',
    'taken_over',
    'sent',
    'delivered',
    'delivery_failed',
    'wrong_code',
    'approved',
    'failed',
    'cancelled',
    'expired',
    'event',
  ]),
  text: z.string().meta({ description: 'One sentence.' }),
  channel: channelName.nullable(),
  delivery_id: z.string().nullable(),
  event_id: z.string().nullable(),
})
export const shownDelivery = deliveryAnswer.extend({
  provider: z
    .object({
      provider_id: z.string(),
      kind: z.string().nullable().meta({ description: 'Null where the account was removed.' }),
      name: z.string().nullable(),
      owner: z.enum(['company', 'operator', 'simulator']).nullable(),
    })
    .meta({ description: 'The account that carried the message, or that it waits for.' }),
  price: amount,
  charge: z
    .enum(['reserved', 'captured', 'returned'])
    .meta({ description: '`reserved` until a provider takes the message; `returned` when it failed.' }),
  sent_at: timestamp.nullable(),
  segments: z.int().nullable().meta({ description: 'How many messages the text is on the wire; SMS only.' }),
  text: z.string().nullable().meta({
    description:
      'As it was sent, with stars for the code. Null for viewers, until it is sent, and where the provider has a text of its own.',
  }),
})
export type ShownDelivery = z.infer<typeof shownDelivery>

export const shownException = z.object({
  exception_id: z.string(),
  kind: exceptionKind,
  masked_recipient: z.string(),
  created_at: timestamp,
  created_by: z.string().nullable().meta({ description: 'An address; null for the operator’s token.' }),
  expires_at: timestamp.nullable().meta({ description: 'Null: until somebody lifts it.' }),
})
export type ShownException = z.infer<typeof shownException>

export const verificationAnswer = statusAnswer.extend({
  deliveries: z.array(shownDelivery).meta({ description: 'Oldest first.' }),
  exception: shownException
    .nullable()
    .meta({ description: 'Whether somebody has blocked the recipient, or lets it past the guard.' }),
  app_id: z.string(),
  country: z.string().nullable(),
  locale: z.string(),
  client_ip: z.string().nullable(),
  cancelled_at: timestamp
    .nullable()
    .meta({ description: 'When somebody ended it before its time; its `status` is `failed` then.' }),
  cost: amount.meta({ description: 'What was charged for it and not returned.' }),
  decisions: z.array(recordedDecision),
  events: z.array(z.object({ id: z.string(), type: eventType, status: eventStatus, created_at: timestamp })),
  timeline: z.array(timelineEntry).meta({ description: 'Oldest first.' }),
})
export type VerificationDetail = z.infer<typeof verificationAnswer>

export const statsQuery = z.strictObject({
  from: rangeEnd.optional().meta({ description: 'Default: seven days ago.' }),
  to: rangeEnd.optional().meta({ description: 'Default: now.' }),
  by: z.enum(['hour', 'day', 'channel', 'country']).default('day'),
  channel: channelName.optional(),
  country: country.optional(),
})
export const figures = z.object({
  sends: z.int().meta({ description: 'Verifications that were started.' }),
  messages: z.int().meta({ description: 'Messages handed to providers, those of resends too.' }),
  delivered: z.int(),
  failed: z.int().meta({ description: 'Messages that failed.' }),
  approvals: z.int(),
  conversion: z.number().nullable().meta({
    description:
      'Approvals over sends; null without sends. By channel, a verification counts for the one that it ended on.',
  }),
  cost: amount,
  cost_per_approval: amount.nullable().meta({ description: 'Null without approvals.' }),
  seconds_to_approve: z
    .object({ p50: z.number(), p95: z.number() })
    .nullable()
    .meta({ description: 'From the first send to the approval, within five percent.' }),
})
export type Figures = z.infer<typeof figures>
export const statsAnswer = z.object({
  from: timestamp,
  to: timestamp,
  by: z.enum(['hour', 'day', 'channel', 'country']),
  total: figures,
  rows: z.array(
    figures.extend({
      key: z.string().meta({ description: 'The start of the hour or day, the channel, or the country.' }),
    }),
  ),
})
export type StatsAnswer = z.infer<typeof statsAnswer>

export const waysQuery = z.strictObject({
  from: rangeEnd.optional().meta({ description: 'Default: seven days ago.' }),
  to: rangeEnd.optional().meta({ description: 'Default: now.' }),
  by: z.enum(['channel_started', 'provider', 'error']).default('channel_started'),
})
export const waysAnswer = z.object({
  from: timestamp,
  to: timestamp,
  by: z.enum(['channel_started', 'provider', 'error']),
  rows: z
    .array(
      z.object({
        key: z
          .string()
          .meta({ description: 'The channel it began on, the account, or the error code of a failure.' }),
        name: z.string().nullable().meta({ description: 'What its owner calls the account.' }),
        sends: z.int().meta({ description: 'Verifications among them.' }),
        messages: z.int(),
        delivered: z.int(),
        failed: z.int(),
        approvals: z.int(),
        conversion: z.number().nullable(),
        cost: amount,
        cost_per_approval: amount.nullable(),
      }),
    )
    .meta({ description: 'Most verifications first.' }),
})
export type WaysAnswer = z.infer<typeof waysAnswer>

export const attentionAnswer = z.object({
  items: z.array(
    z.object({
      kind: z.enum([
        'webhook_paused',
        'low_balance',
        'failing_provider',
        'pumping_blocks',
        'pumping_learning',
        'pumping_misfit',
        'wrong_codes',
        'spend_cap',
        'no_messages_delivered',
        'ip_source',
        'conversion_drop',
        'partitions_short',
        'canary_failed',
      ]),
      severity: z.enum(['warning', 'critical']),
      message: z.string(),
      since: timestamp.nullable(),
    }),
  ),
})
export type AttentionAnswer = z.infer<typeof attentionAnswer>

export const ipSourcesAnswer = z.object({
  sources: z.array(
    z.object({
      name: z.string(),
      class: z.string(),
      entries: z.int().nullable(),
      loaded_at: timestamp.nullable(),
      age_s: z.number().nullable(),
      max_age_s: z.number(),
      problem: z.string().nullable(),
    }),
  ),
})

export const localesAnswer = z.object({ locales: z.array(z.string()) })
