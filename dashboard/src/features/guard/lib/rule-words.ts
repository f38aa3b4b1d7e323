/** The words for an app's own rules. */
import type { OwnRule, RuleAction, RuleConditionName, RuleConditions } from '@countersign/contract'
import { channelLabels, countryName, formatCount, formatSeconds, plural } from '#lib/format.ts'

export const conditionLabels: Readonly<Record<RuleConditionName, string>> = {
  country: 'Country of the number',
  prefix: 'First digits of the number',
  recipient_type: 'Phone or email',
  email_domain: 'Domain of the email address',
  known: 'Approved before or not',
  channel: 'Channel',
  price: 'Price of the message',
  ip_class: 'What lists say about the client IP',
  ip_country: 'Country of the client IP',
  key_kind: 'Kind of key',
  hour: 'Hour of the day',
  sends_of_recipient: 'Sends to the recipient',
  sends_of_address: 'Sends from the client IP',
  sends_of_app: 'Sends of the app',
}

export const ipClassLabels: Readonly<Record<NonNullable<RuleConditions['ip_class']>[number], string>> = {
  abusive: 'a known source of abuse',
  tor: 'Tor',
  proxy: 'a proxy',
  vpn: 'a VPN',
  hosting: 'a data centre',
  relay: 'a privacy relay',
  unlisted: 'an address on no list',
  none: 'no usable address',
}

export const keyKindLabels = { server: 'a server key', publishable: 'a publishable key' } as const
export const recipientTypeLabels = { phone: 'a phone number', email: 'an email address' } as const
export const actionLabels: Readonly<Record<RuleAction['action'], string>> = {
  refuse: 'Refuse it',
  hold: 'Hold it',
  channels: 'Only some channels',
  link: 'Ask for the WhatsApp link',
  limit: 'Limit how many',
  pass: 'Let it pass the guard',
}
export const modeLabels: Readonly<Record<OwnRule['mode'], string>> = {
  off: 'Off',
  shadow: 'Shadow',
  on: 'On',
}

const orList = new Intl.ListFormat('en', { type: 'disjunction' })
const either = (list: readonly string[]) => orList.format(list)

/** Of a long list only the beginning is named. */
const mostNamed = 4
function some(list: readonly string[]): string {
  const more = list.length - mostNamed
  return either(more > 0 ? [...list.slice(0, mostNamed), `${formatCount(more)} more`] : list)
}

const between = (gte: string | undefined, lte: string | undefined): string => {
  if (gte === undefined) return `at most ${lte ?? ''}`
  if (lte === undefined) return `at least ${gte}`
  return gte === lte ? `exactly ${gte}` : `from ${gte} to ${lte}`
}
const counted = (value: number | undefined) => (value === undefined ? undefined : formatCount(value))
const whole: Readonly<Record<number, string>> = { 60: 'minute', 3600: 'hour', 86400: 'day' }
const spanned = (seconds: number) => whole[seconds] ?? formatSeconds(seconds)
const once: Readonly<Record<number, string>> = { 60: 'a minute', 3600: 'an hour', 86400: 'a day' }
const within = (seconds: number) => once[seconds] ?? formatSeconds(seconds)

type Counts = NonNullable<RuleConditions['sends_of_app']>
const sends = ({ gte, lte, window_s }: Counts, of: string) =>
  `after ${between(counted(gte), counted(lte))} sends ${of} in the last ${spanned(window_s)}`

const sayings: {
  readonly [Name in RuleConditionName]: (wanted: NonNullable<RuleConditions[Name]>) => string
} = {
  country: (codes) => `to ${some(codes.map(countryName))}`,
  prefix: (list) => `to numbers that start with ${some(list)}`,
  recipient_type: (list) => `to ${either(list.map((type) => recipientTypeLabels[type]))}`,
  email_domain: (list) => `to addresses at ${some(list)}`,
  known: (wanted) => sayKnown([wanted].flat()),
  channel: (list) => `by ${either(list.map((channel) => channelLabels[channel]))}`,
  price: ({ gte, lte }) => `that cost ${between(gte, lte)}`,
  ip_class: (list) => `from ${either(list.map((name) => ipClassLabels[name]))}`,
  ip_country: (codes) => `from addresses in ${some(codes.map(countryName))}`,
  key_kind: (list) => `with ${either(list.map((kind) => keyKindLabels[kind]))}`,
  hour: ({ gte = 0, lte = 23 }) => `between ${gte}:00 and ${lte}:59 UTC`,
  sends_of_recipient: (range) => sends(range, 'to the recipient'),
  sends_of_address: (range) => sends(range, 'from the address'),
  sends_of_app: (range) => sends(range, 'of the app'),
}

function sayKnown(wanted: readonly boolean[]): string {
  if (wanted.length > 1) return 'to anybody'
  return wanted[0] ? 'to people approved before' : 'to people never approved before'
}

function sayOne<Name extends RuleConditionName>(name: Name, when: RuleConditions): string[] {
  const wanted: RuleConditions[Name] = when[name]
  return wanted === undefined || wanted === null ? [] : [sayings[name](wanted)]
}

export const conditionNames = Object.keys(conditionLabels).filter(
  (name): name is RuleConditionName => name in conditionLabels,
)

/** The conditions in words, such as `Sends to France, from a VPN`. */
export function sayWhen(when: RuleConditions): string {
  const clauses = conditionNames.flatMap((name) => sayOne(name, when))
  return clauses.length === 0 ? 'Every send' : `Sends ${clauses.join(', ')}`
}

export function sayThen(then: RuleAction): string {
  switch (then.action) {
    case 'refuse':
      return 'are refused'
    case 'hold':
      return `wait for ${plural(then.minutes, 'minute')}`
    case 'channels':
      return `go by ${either(then.channels.map((channel) => channelLabels[channel]))} only`
    case 'link':
      return 'get the WhatsApp link'
    case 'limit':
      return `are limited to ${formatCount(then.max)} in ${within(then.window_s)}`
    case 'pass':
      return 'pass the guard'
  }
}
