/** A rule as values of its form, with the names of the API. Conditions that are not chosen are kept, but not sent. */
import type { OwnRule, RuleAction, RuleConditionName, RuleConditions } from '@countersign/contract'
import { givenNumber, givenText } from '#lib/form/typed.ts'
import { inAscii } from '#lib/form/typed-number.ts'
import { conditionNames } from './rule-words.ts'

/** A new rule has no id yet. */
export type RuleDraft = Omit<OwnRule, 'rule_id'> & { readonly rule_id?: string | undefined }

interface CountValues {
  gte: number | null
  lte: number | null
  window_s: string
}

export interface RuleValues {
  name: string
  asked: RuleConditionName[]
  when: {
    country: string[]
    channel: string[]
    recipient_type: string[]
    ip_class: string[]
    ip_country: string[]
    key_kind: string[]
    known: string
    /** `email_domain` and `prefix` have one entry a line. */
    email_domain: string
    prefix: string
    sends_of_recipient: CountValues
    sends_of_address: CountValues
    sends_of_app: CountValues
    price: { gte: string; lte: string }
    hour: { gte: number | null; lte: number | null }
  }
  then: {
    action: RuleAction['action']
    minutes: number | null
    channels: string[]
    max: number | null
    window_s: string
  }
}

const hour = '3600'
const countsOf = (range: RuleConditions['sends_of_app']): CountValues => ({
  gte: range?.gte ?? null,
  lte: range?.lte ?? null,
  window_s: String(range?.window_s ?? hour),
})
const linesOf = (list: readonly string[] = []) => list.join('\n')

export function valuesOf({ name, when, then }: RuleDraft): RuleValues {
  return {
    name,
    asked: conditionNames.filter((condition) => when[condition] !== undefined),
    when: {
      country: [...(when.country ?? [])],
      channel: [...(when.channel ?? [])],
      recipient_type: [...(when.recipient_type ?? [])],
      ip_class: [...(when.ip_class ?? [])],
      ip_country: [...(when.ip_country ?? [])],
      key_kind: [...(when.key_kind ?? [])],
      known: String([when.known ?? false].flat()[0] ?? false),
      email_domain: linesOf(when.email_domain),
      prefix: linesOf(when.prefix),
      sends_of_recipient: countsOf(when.sends_of_recipient),
      sends_of_address: countsOf(when.sends_of_address),
      sends_of_app: countsOf(when.sends_of_app),
      price: { gte: when.price?.gte ?? '', lte: when.price?.lte ?? '' },
      hour: { gte: when.hour?.gte ?? null, lte: when.hour?.lte ?? null },
    },
    then: {
      action: then.action,
      minutes: then.action === 'hold' ? then.minutes : 10,
      channels: then.action === 'channels' ? [...then.channels] : [],
      max: then.action === 'limit' ? then.max : 100,
      window_s: then.action === 'limit' ? String(then.window_s) : hour,
    },
  }
}

export const newRule = (): RuleDraft => ({
  name: '',
  mode: 'shadow',
  when: {},
  then: { action: 'refuse' },
})

/** Splits a list as people write it: by lines or commas. */
const listed = (text: string, tidy: (part: string) => string): string[] =>
  text
    .split(/[,;\n]+/)
    .map(tidy)
    .filter((part) => part !== '')

const bounds = ({ gte, lte }: { gte: number | null; lte: number | null }) => ({
  ...(gte === null ? {} : { gte }),
  ...(lte === null ? {} : { lte }),
})
const counts = ({ window_s, ...range }: CountValues) => ({ ...bounds(range), window_s: Number(window_s) })

type Said = Readonly<Record<RuleConditionName, unknown>>

/** The conditions of a rule, not yet checked by the contract. */
function whenOf({ when }: RuleValues): Said {
  const price = { gte: givenText(when.price.gte), lte: givenText(when.price.lte) }
  return {
    ...when,
    known: when.known === 'true',
    email_domain: listed(when.email_domain, (part) => part.trim().toLowerCase().replace(/^@/, '')),
    prefix: listed(inAscii(when.prefix), (part) => part.replace(/[\s().-]/g, '').replace(/^00/, '+')),
    sends_of_recipient: counts(when.sends_of_recipient),
    sends_of_address: counts(when.sends_of_address),
    sends_of_app: counts(when.sends_of_app),
    price: Object.fromEntries(Object.entries(price).filter(([, amount]) => amount !== undefined)),
    hour: bounds(when.hour),
  }
}

function thenOf({ then }: RuleValues) {
  switch (then.action) {
    case 'hold':
      return { action: then.action, minutes: givenNumber(then.minutes) }
    case 'channels':
      return { action: then.action, channels: then.channels }
    case 'limit':
      return { action: then.action, max: givenNumber(then.max), window_s: Number(then.window_s) }
    default:
      return { action: then.action }
  }
}

export interface RuleBody {
  readonly rule_id?: string
  readonly name: string
  readonly mode: OwnRule['mode']
  readonly when: Partial<Said>
  readonly then: unknown
}

export function bodyOf(values: RuleValues, { rule_id, mode }: RuleDraft): RuleBody {
  const said = whenOf(values)
  return {
    ...(rule_id === undefined ? {} : { rule_id }),
    name: values.name.trim(),
    mode,
    when: Object.fromEntries(values.asked.map((name) => [name, said[name]])),
    then: thenOf(values),
  }
}
