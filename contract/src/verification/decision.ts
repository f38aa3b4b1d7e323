/**
 * What the rules of a send or resend decided, as facts.
 *
 * A new rule is one entry of `ruleFacts`, and its name and sentence in `decision-words.ts`. Facts are stored and
 * answered as they are here; sentences are made where somebody reads.
 */
import { z } from 'zod'
import { disposableEmail } from '../tenancy/settings.ts'
import {
  amount,
  blockLevel,
  capName,
  channelName,
  countedScope,
  exceptionKind,
  ipClass,
  otpStatus,
  timestamp,
} from '../vocabulary.ts'

export const outcome = z.enum(['pass', 'refuse', 'skip', 'reroute', 'shadow'])
export type Outcome = z.infer<typeof outcome>

const country = z.string().meta({ description: 'ISO 3166-1 alpha-2.' })
const retryAfter = z.int().meta({ description: 'Seconds.' })

/** One of several cases of a rule; those that need no facts have only the code. */
const when = <Code extends string, Shape extends z.core.$ZodLooseShape>(because: Code, shape: Shape) =>
  z.object({ because: z.literal(because), ...shape })

export const leftOut = z.object({
  channel: channelName,
  because: z.enum([
    'not_enabled',
    'not_to_phones',
    'not_to_emails',
    'fixed_line',
    'unreachable',
    'no_provider',
    'own_rule',
  ]),
})
const order = {
  order: z
    .array(channelName)
    .meta({ description: 'What can reach the recipient now, in the order of the app.' }),
  left_out: z.array(leftOut).meta({ description: 'Channels of the order that cannot reach the recipient.' }),
}

export const limitReached = z.object({
  scope: countedScope,
  counted: z.enum(['requests', 'wrong_codes']),
  used: z.int(),
  max: z.int(),
  window_s: z.int(),
  retry_after: retryAfter,
})

/** What an app's own rule does with a send, or would do in shadow. */
const ownAction = <Action extends string, Effect extends string, Shape extends z.core.$ZodLooseShape>(
  action: Action,
  effects: readonly Effect[],
  shape: Shape,
) =>
  z.object({
    rule_id: z.string(),
    name: z.string(),
    action: z.literal(action),
    effect: z.enum(effects).meta({ description: '`none`: the send goes on as it would without the rule.' }),
    ...shape,
  })
const waited = retryAfter.meta({ description: 'Seconds; 0 where there is no wait.' })
const goesTo = { channel: channelName.nullable().meta({ description: 'Null where none is left.' }) }

export const routeState = z
  .enum(['leading', 'holding', 'costlier', 'under_floor', 'unknown', 'standby'])
  .meta({
    description:
      '`leading`: its approvals cost least. `holding`: may bring more, and carries so much beside the leading one that all of them together stay above the floor. `under_floor`: brings too few approvals beside the best. `unknown`: too little is known about it. `standby`: comes after those that are chosen among, where none of them can take it.',
  })
const conversion = z
  .number()
  .meta({ description: 'The share of its messages whose code is typed, from 0 to 1.' })
const judgedAccount = z.object({
  provider_id: z.string(),
  sends: z.number().meta({ description: 'How many of its messages are remembered; older ones count less.' }),
  conversion,
  low: conversion.meta({ description: 'Nine of ten times the conversion lies between `low` and `high`.' }),
  high: conversion,
  price: amount.nullable().meta({ description: 'Null if only the operator may see it.' }),
  cost_per_approval: amount.nullable(),
  share: z.number().meta({ description: 'The share of the next messages that goes to it, from 0 to 1.' }),
  state: routeState,
})
const judged = {
  provider_id: z.string().meta({ description: 'The account that is asked first.' }),
  accounts: z.array(judgedAccount).meta({ description: 'In the order of their priority.' }),
}

export const spendCap = z.object({
  cap_name: capName,
  spent: amount.meta({ description: 'With this message.' }),
  cap: amount.nullable().meta({ description: 'Null where it is off.' }),
  source: z.enum(['set', 'learned', 'off']),
  is_over: z.boolean(),
})

const pumpingExcuse = z
  .enum(['monitored', 'simulated', 'learning', 'own_rule', 'exception'])
  .nullable()
  .meta({ description: 'Why the message passes all the same.' })

export const ruleFacts = {
  paused: z.object({ since: timestamp }),
  recipient: z.discriminatedUnion('because', [
    when('phone', { country }),
    when('email', {}),
    when('disposable_email', { treatment: disposableEmail }),
    when('invalid', {}),
  ]),
  geo: z.discriminatedUnion('because', [
    when('no_country', {}),
    when('allowed', { country }),
    when('blocked', { country }),
  ]),
  ip_reputation: z.discriminatedUnion('because', [
    when('no_client_ip', {}),
    when('unlisted', {}),
    when('listed', {
      class: ipClass,
      is_stale: z
        .boolean()
        .meta({ description: 'The list is too old or unreadable, so nobody is refused for it.' }),
      excuse: z
        .enum(['own_rule', 'exception'])
        .optional()
        .meta({ description: 'Why the address is not refused all the same.' }),
    }),
  ]),
  exception: z.object({ kind: exceptionKind }),
  own_rule: z.discriminatedUnion('action', [
    ownAction('refuse', ['refuse'], {}),
    ownAction('hold', ['hold', 'none'], { minutes: z.int(), retry_after: waited }),
    ownAction('channels', ['reroute', 'refuse', 'none'], { channels: z.array(channelName), ...goesTo }),
    ownAction('link', ['reroute', 'refuse', 'none'], goesTo),
    ownAction('limit', ['refuse', 'none'], { max: z.int(), window_s: z.int(), retry_after: waited }),
    ownAction('pass', ['pass'], {}),
  ]),
  routing: z.discriminatedUnion('because', [
    when('chosen', { channel: channelName, as: z.enum(['message', 'link', 'same_link']), ...order }),
    when('no_channel', order),
    when('no_channel_left', order),
    when('no_link', order),
    when('channel_not_usable', { channel: channelName, ...order }),
  ]),
  pumping: z.discriminatedUnion('because', [
    when('off', {}),
    when('unpaid_channel', {}),
    when('unread', {}),
    when('safe_prefix', {}),
    when('trusted', {}),
    when('scout', {}),
    when('open', {}),
    when('beside', {}),
    when('repeated', {
      sends: z.int().meta({ description: 'Messages to this number since its last approval.' }),
      owed: z.number().optional().meta({
        description: 'Messages that no approval of this number has paid for; older ones count less.',
      }),
      max: z
        .int()
        .optional()
        .meta({ description: 'How many of these a number may have. Then it waits for each one more.' }),
      excuse: pumpingExcuse,
      otherwise: z.enum(['reroute', 'refuse']).meta({ description: 'What happens without an excuse.' }),
      retry_after: retryAfter,
    }),
    when('stopped', {
      level: blockLevel,
      place: z.string().meta({ description: 'Never a whole number: its last four digits are `xxxx`.' }),
      kind: z.enum(['hold', 'block']),
      numbers: z.int().meta({ description: 'New numbers there that were sent to.' }),
      approvals: z.int().meta({ description: 'How many of them were approved.' }),
      expected: z
        .number()
        .optional()
        .meta({ description: 'The share that was expected to be approved there, from 0 to 1.' }),
      owed: z.number().optional().meta({ description: 'What the place owes now.' }),
      threshold: z
        .number()
        .optional()
        .meta({ description: 'What it was allowed to owe when it was closed.' }),
      reason: z.enum(['owed', 'missing', 'pair']).optional().meta({
        description:
          '`owed`: it has reached its threshold. `missing`: far fewer codes of the last minutes were used by now than expected. `pair`: while places where the app has nobody are attacked, it was asked for a second number of this range within a minute, and the code of the first was not used.',
      }),
      missing: z.object({ approvals: z.int(), share: z.number() }).optional().meta({
        description:
          'With `missing`: from how many missing approvals on, and from which share of those that were due, a place is held.',
      }),
      ends: z.enum(['time', 'approvals']).optional().meta({
        description:
          '`time`: after `retry_after` it is open. `approvals`: single messages go through, the next after `retry_after`, and when their codes are used it opens.',
      }),
      excuse: pumpingExcuse,
      otherwise: z.enum(['reroute', 'refuse']).meta({ description: 'What happens without an excuse.' }),
      retry_after: retryAfter,
    }),
  ]),
  limits: z.object({ scopes: z.array(countedScope) }),
  'limit.recipient': limitReached,
  'limit.ip': limitReached,
  'limit.flagged_ip': limitReached,
  'limit.app': limitReached,
  'limit.app_without_ip': limitReached,
  spend: z.discriminatedUnion('because', [
    when('link', {}),
    when('free', {}),
    when('unread', {}),
    when('counted', {
      country: country.nullable().meta({ description: 'Null for email addresses.' }),
      caps: z.array(spendCap),
      excuse: z.enum(['simulated']).nullable().meta({ description: 'Why what is over a cap passes.' }),
      reached: z
        .object({ cap_name: capName, retry_after: retryAfter })
        .optional()
        .meta({ description: 'The cap that holds the message back; of two, the one that lasts longer.' }),
    }),
  ]),
  balance: z.discriminatedUnion('because', [
    when('link', {}),
    when('not_metered', {}),
    when('price', { price: amount, balance: amount.meta({ description: 'Before this message.' }) }),
  ]),
  account: z.discriminatedUnion('because', [
    when('leading', judged),
    when('trying', judged),
    when('holding', judged),
    when('too_little_known', judged),
    when('only', judged),
    when('unread', judged),
  ]),
  pending: z.object({ otp_status: otpStatus }),
  cooldown: z.object({ retry_after: retryAfter.meta({ description: 'Seconds; 0 once it is over.' }) }),
  send_attempts: z.discriminatedUnion('because', [
    when('same_link', {}),
    when('counted', { used: z.int().meta({ description: 'Before this one.' }), max: z.int() }),
  ]),
} as const

export type RuleName = keyof typeof ruleFacts
export type RuleFacts = { [Rule in RuleName]: z.infer<(typeof ruleFacts)[Rule]> }

/** The outcome of one rule, with its facts. */
export type Decided<Rule extends RuleName = RuleName> = {
  [Each in Rule]: { readonly rule: Each; readonly outcome: Outcome; readonly facts: RuleFacts[Each] }
}[Rule]

const why = z.string().meta({ description: 'One sentence or a few, made from the facts.' })
const said = <Rule extends RuleName>(rule: Rule) =>
  z.object({ rule: z.literal(rule), outcome, why, facts: ruleFacts[rule] })
type Said = { [Rule in RuleName]: ReturnType<typeof said<Rule>> }[RuleName]
// `Object.keys` returns plain strings; here they are the names of the rules, and there is at least one.
const eachSaid = (Object.keys(ruleFacts) as RuleName[]).map((rule) => said(rule)) as [Said, ...Said[]]

/** A rule that no longer exists, or a decision that was recorded as a sentence. */
export const saidBefore = z.object({ rule: z.string(), outcome, why: z.string(), facts: z.null() })

export const ruleResult = z.union([z.discriminatedUnion('rule', eachSaid), saidBefore])
export type RuleResult = z.infer<typeof ruleResult>

/** What the table holds for one rule. */
export type StoredRule = Decided | (Omit<z.infer<typeof saidBefore>, 'facts'> & { readonly facts?: null })

export const recordedDecision = z.object({
  kind: z.enum(['send', 'resend']),
  at: timestamp,
  rules: z.array(ruleResult).meta({ description: 'In the order in which they were asked.' }),
})
