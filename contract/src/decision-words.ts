/**
 * The sentence of a rule, made from its facts: for answers, errors, previews and pages.
 *
 * Pages read this file at run time, so it imports nothing but types.
 */
import type { Decided, Outcome, RuleFacts, RuleName, RuleResult, StoredRule } from './decision.ts'
import type { ChannelName, CountedScope } from './vocabulary.ts'

/** What a reader calls channels, countries and the like. */
export interface Words {
  readonly country: (code: string) => string
  readonly channel: (name: ChannelName) => string
  readonly money: (amount: string) => string
  readonly account: (providerId: string) => string
  readonly recipient: string
  readonly clientIp: string
}

const wordsOfApi: Words = {
  country: (code) => code,
  channel: (name) => name,
  money: (amount) => amount,
  account: (providerId) => providerId,
  recipient: 'recipient',
  clientIp: 'client_ip',
}

type Say<Rule extends RuleName> = (facts: RuleFacts[Rule], words: Words, outcome: Outcome) => string

const sentences: { readonly [Rule in RuleName]: Say<Rule> } = {
  paused: ({ since }) => `The app is paused since ${since}, and sends nothing new.`,
  recipient: sayRecipient,
  geo: sayGeo,
  ip_reputation: sayReputation,
  exception: ({ kind }, { recipient }) =>
    kind === 'blocked'
      ? `This ${recipient} is blocked.`
      : `This ${recipient} is let past the guard for a day.`,
  own_rule: sayOwnRule,
  routing: sayRouting,
  pumping: sayPumping,
  limits: ({ scopes }, words) =>
    `Within the limits ${scopes.map((scope) => scopeWords(scope, words)).join(', ')}.`,
  'limit.recipient': sayLimit,
  'limit.ip': sayLimit,
  'limit.flagged_ip': sayLimit,
  'limit.app': sayLimit,
  'limit.app_without_ip': sayLimit,
  spend: saySpend,
  balance: sayBalance,
  account: sayAccount,
  pending: ({ otp_status }) => `This verification is ${otp_status}.`,
  cooldown: ({ retry_after }) =>
    retry_after > 0 ? `A resend is possible in ${retry_after} s.` : 'The cooldown is over.',
  send_attempts: saySendAttempts,
}

export function whyOf<Rule extends RuleName>(
  { rule, facts, outcome }: Decided<Rule>,
  words = wordsOfApi,
): string {
  return sentences[rule](facts, words, outcome)
}

/** The sentence of a refusal. A rule that is no more, or finds other things by now, has only its name left. */
export function whyRefused(rule: string, facts: unknown, words = wordsOfApi): string {
  const isRule = Object.hasOwn(sentences, rule) && typeof facts === 'object' && facts !== null
  const sentence = isRule ? whyOf({ rule, outcome: 'refuse', facts } as Decided, words) : ''
  return sentence || `Refused by ${rule}.`
}

/** What a row says of a rule, with its sentence; a row from before there were facts has only that. */
export function resultOf(stored: StoredRule): RuleResult {
  return stored.facts ? { ...stored, why: whyOf(stored) } : { ...stored, facts: null }
}

/** The sentence in a reader's own words. */
export const sayRule = (result: RuleResult, words: Words): string =>
  result.facts ? whyOf(result, words) : result.why

function sayRecipient(facts: RuleFacts['recipient'], { country, recipient }: Words): string {
  switch (facts.because) {
    case 'phone':
      return `A phone number of ${country(facts.country)}.`
    case 'email':
      return 'An email address.'
    case 'disposable_email':
      return facts.treatment === 'refuse'
        ? `${recipient} is a disposable email address, which this app does not accept.`
        : `A disposable email address (${facts.treatment}).`
    case 'invalid':
      return `${recipient} must be a phone number in E.164 form (+ and 8 to 15 digits, of a kind that one person can own) or an email address.`
  }
}

function sayGeo(facts: RuleFacts['geo'], { country }: Words): string {
  switch (facts.because) {
    case 'no_country':
      return 'An email address has no country.'
    case 'allowed':
      return `${country(facts.country)} is not blocked.`
    case 'blocked':
      return `Sending to ${country(facts.country)} is blocked for this app.`
  }
}

function sayReputation(facts: RuleFacts['ip_reputation'], { clientIp }: Words, outcome: Outcome): string {
  if (outcome === 'refuse') return `The ${clientIp} is a known source of abuse.`
  return facts.because === 'no_client_ip' ? `No usable ${clientIp}.` : sayListing(facts)
}

export function sayListing(facts: Exclude<RuleFacts['ip_reputation'], { because: 'no_client_ip' }>): string {
  if (facts.because === 'unlisted') return 'On no list.'
  const stale = facts.is_stale ? ' The list is too old or unreadable, so it only throttles.' : ''
  const excuse = facts.excuse ? ` ${excuseWords[facts.excuse]}.` : ''
  return `Listed as ${facts.class}.${stale}${excuse}`
}

type OwnRuleFacts = RuleFacts['own_rule']

const effectWords: Readonly<Record<OwnRuleFacts['effect'], (words: Words, facts: OwnRuleFacts) => string>> = {
  refuse: (words, facts) =>
    'channels' in facts || facts.action === 'link'
      ? `asks for ${askedFor(words, facts)}, which is not to be had here`
      : `refuses it${waitOf(facts)}`,
  hold: (_words, facts) => `holds it${waitOf(facts)}`,
  reroute: (words, facts) =>
    `moves it to ${facts.action === 'link' ? 'the link' : goal(words, facts)} (only ${askedFor(words, facts)})`,
  pass: () => 'lets it pass the guard',
  none: () => 'leaves it as it is',
}

const goal = ({ channel }: Words, facts: OwnRuleFacts) =>
  'channel' in facts && facts.channel !== null ? channel(facts.channel) : 'no channel'
const askedFor = ({ channel }: Words, facts: OwnRuleFacts) =>
  'channels' in facts ? facts.channels.map(channel).join(', ') : 'the link'
const waitOf = (facts: OwnRuleFacts) =>
  'retry_after' in facts && facts.retry_after > 0 ? ` (scope rule). Try again in ${facts.retry_after} s` : ''

function sayOwnRule(facts: OwnRuleFacts, words: Words, outcome: Outcome): string {
  const does = effectWords[facts.effect](words, facts)
  return outcome === 'shadow'
    ? `In shadow, so without effect: the rule “${facts.name}” ${does}.`
    : `The rule “${facts.name}” ${does}.`
}

type LeftOut = RuleFacts['routing']['left_out'][number]

const leftOutWords: Readonly<Record<LeftOut['because'], string>> = {
  not_enabled: 'not enabled for the app',
  not_to_phones: 'does not reach phone numbers',
  not_to_emails: 'does not reach email addresses',
  fixed_line: 'the number is a fixed line',
  unreachable: 'a provider found the person unreachable here',
  no_provider: 'no provider',
  own_rule: 'a rule of the app leaves it out',
}

function sayOrder(
  { order, left_out }: Pick<RuleFacts['routing'], 'order' | 'left_out'>,
  { channel }: Words,
): string {
  const clauses = left_out.map((left) => `${channel(left.channel)}: ${leftOutWords[left.because]}`)
  const left = clauses.length > 0 ? ` Left out: ${clauses.join('; ')}.` : ''
  return `Order: ${order.map(channel).join(', ') || 'none'}.${left}`
}

const chosenAs = { message: '', link: ', a new link', same_link: ', the same link' } as const

function sayRouting(facts: RuleFacts['routing'], words: Words): string {
  const order = sayOrder(facts, words)
  switch (facts.because) {
    case 'chosen':
      return `${order} Chosen: ${words.channel(facts.channel)}${chosenAs[facts.as]}.`
    case 'no_channel':
      return `No enabled channel can reach this recipient. ${order}`
    case 'no_channel_left':
      return `No enabled channel is left for this recipient. ${order}`
    case 'no_link':
      return `A rule of the app asks for the link, and there is none for this recipient. ${order}`
    case 'channel_not_usable':
      return `The channel ${words.channel(facts.channel)} is not enabled for this app, or cannot reach this recipient. ${order}`
  }
}

type Stopped = Extract<RuleFacts['pumping'], { because: 'stopped' }>
type Repeated = Extract<RuleFacts['pumping'], { because: 'repeated' }>

const levelWords: Readonly<Record<Stopped['level'], string>> = {
  r100: 'a range of 100 numbers within',
  r1k: 'a range of 1,000 numbers within',
  r10k: 'the range of 10,000 numbers',
  carrier: 'the carrier',
  country: 'the country',
  known_carrier: 'known recipients of the carrier',
  known_country: 'known recipients in',
  ip: 'the address',
}

const excuseWords: Readonly<Record<NonNullable<Stopped['excuse']>, string>> = {
  monitored: 'Monitored only',
  simulated: 'Simulated',
  learning: 'Learning what is usual for this app',
  own_rule: 'A rule of the app lets it pass',
  exception: 'Somebody lets this recipient pass',
}

function sayPumping(facts: RuleFacts['pumping'], { country }: Words): string {
  switch (facts.because) {
    case 'off':
      return 'The guard is off for this app.'
    case 'unpaid_channel':
      return 'Nobody earns anything on this channel.'
    case 'unread':
      return 'The guard could not be asked, so the message is not held back.'
    case 'safe_prefix':
      return 'The number has a safe prefix of this app.'
    case 'trusted':
      return 'The app has verified this recipient before.'
    case 'scout':
      return 'Let through to see whether it converts.'
    case 'beside':
      return 'The place is closed, but nobody else asks for codes in this range of numbers: let through beside the attack.'
    case 'open':
      return 'No block stands in the way.'
    case 'repeated':
      return sayRepeated(facts)
    case 'stopped':
      return sayStop(facts, country)
  }
}

function sayRepeated({ sends, excuse, otherwise, retry_after }: Repeated): string {
  const evidence = `Pumping: this number has had ${sends} codes and typed none. The next one is possible in ${retry_after} s.`
  return withExcuse(evidence, excuse, otherwise)
}

function sayStop(facts: Stopped, country: Words['country']): string {
  const { level, place, kind, numbers, approvals, excuse, otherwise } = facts
  const isCountry = level === 'country' || level === 'known_country'
  const where = `${levelWords[level]} ${isCountry ? country(place) : place}`
  const isMany = level === 'known_country' || level === 'known_carrier'
  const how = kind === 'hold' ? 'held for a moment' : 'blocked for paid messages'
  const what = isMany ? 'codes sent to them' : 'new numbers there'
  const evidence = `Pumping: ${where} ${isMany ? 'are' : 'is'} ${how}: ${approvals} of ${numbers} ${what} were approved${sayExpected(facts)}.`
  return withExcuse(evidence, excuse, otherwise)
}

function sayExpected({ numbers, expected, kind }: Stopped): string {
  if (expected === undefined) return ''
  const people = Math.round(expected * numbers)
  const end = kind === 'block' ? '; it opens when codes are used there again' : ''
  return `, where about ${people} were to be expected${end}`
}

function withExcuse(evidence: string, excuse: Stopped['excuse'], otherwise: Stopped['otherwise']): string {
  if (excuse) {
    const else_ = otherwise === 'reroute' ? 'rerouted' : 'refused'
    return `${excuseWords[excuse]}, else ${else_}. ${evidence}`
  }
  return otherwise === 'reroute' ? `${evidence} A WhatsApp link is used instead.` : evidence
}

function scopeWords(scope: CountedScope, { clientIp }: Words): string {
  switch (scope) {
    case 'recipient':
      return 'for this recipient'
    case 'ip':
      return `from this ${clientIp}`
    case 'flagged_ip':
      return `from a VPN, proxy, Tor or datacenter ${clientIp}`
    case 'app':
      return 'for this app'
    case 'app_without_ip':
      return `for this app without a usable ${clientIp}`
  }
}

function sayLimit({ scope, retry_after }: RuleFacts['limit.recipient'], words: Words): string {
  return `Too many requests (${scopeWords(scope, words)}; scope ${scope}). Try again in ${retry_after} s.`
}

type Counted = Extract<RuleFacts['spend'], { because: 'counted' }>

function saySpend(facts: RuleFacts['spend'], words: Words): string {
  switch (facts.because) {
    case 'link':
      return 'A link costs nothing.'
    case 'free':
      return 'This costs nothing.'
    case 'unread':
      return 'The caps could not be asked, so the message is not held back.'
    case 'counted': {
      const evidence = `${facts.caps.map((cap) => sayCap(cap, facts.country, words)).join(', ')}.`
      return facts.excuse ? `Simulated, else refused. ${evidence}` : evidence
    }
  }
}

function sayCap(
  { cap_name, spent, cap }: Counted['caps'][number],
  code: string | null,
  words: Words,
): string {
  const counted = `${words.money(spent)} ${cap === null ? 'without a cap' : `of ${words.money(cap)}`}`
  return cap_name === 'day_by_country'
    ? `${counted} ${sayPlace(code, words)} today`
    : `${counted} unverified in this hour`
}

const sayPlace = (code: string | null, { country }: Words) =>
  code === null ? 'for email addresses' : `for ${country(code)}`

function sayBalance(facts: RuleFacts['balance'], { money }: Words, outcome: Outcome): string {
  switch (facts.because) {
    case 'link':
      return 'A link costs nothing until a message is sent.'
    case 'not_metered':
      return 'The company is not metered.'
    case 'price':
      return outcome === 'refuse'
        ? `The balance is not enough: this message costs ${money(facts.price)}.`
        : `The price is ${money(facts.price)}.`
  }
}

type Account = RuleFacts['account']['accounts'][number]

const percent = (share: number) => `${Math.round(share * 100)} %`

const stateWords: Readonly<Record<Account['state'], string>> = {
  leading: 'judged best',
  holding: 'holds the floor',
  costlier: 'an approval costs more',
  under_floor: 'brings too few approvals',
  unknown: 'too little is known of it',
  standby: 'comes after the others',
}

/** What it was judged at. */
function sayFigures({ conversion, low, high, cost_per_approval }: Account, { money }: Words): string {
  const typed = `${percent(conversion)} approved (${percent(low)} to ${percent(high)})`
  return cost_per_approval === null ? typed : `${money(cost_per_approval)} for an approval, ${typed}`
}

const accountReasons: Readonly<Record<RuleFacts['account']['because'], string>> = {
  leading: 'its approvals cost least here',
  holding: 'the cheapest may bring too few approvals alone',
  trying: 'it is tried, to learn more of it',
  too_little_known: 'too little is known of any, so priority decides',
  only: 'there is no other here',
  unread: 'what is known could not be read, so priority decides',
}

function sayAccount({ because, provider_id, accounts }: RuleFacts['account'], words: Words): string {
  const chosen = accounts.find((each) => each.provider_id === provider_id)
  const figures = chosen && chosen.sends > 0 ? ` It is judged at ${sayFigures(chosen, words)}.` : ''
  const others = accounts.filter((each) => each !== chosen)
  const beside = others.map(
    (each) => `${words.account(each.provider_id)} at ${sayFigures(each, words)}: ${stateWords[each.state]}`,
  )
  const rest = beside.length > 0 ? ` Others: ${beside.join('; ')}.` : ''
  return `The account ${words.account(provider_id)} is asked first: ${accountReasons[because]}.${figures}${rest}`
}

function saySendAttempts(facts: RuleFacts['send_attempts'], _words: Words, outcome: Outcome): string {
  if (facts.because === 'same_link') return 'The same link again sends nothing.'
  const { used, max } = facts
  if (outcome === 'refuse') return `All ${max} send attempts of this verification are spent.`
  return `${max - used} of ${max} send attempts are left before this one.`
}
