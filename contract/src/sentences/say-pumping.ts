import type { RuleFacts } from '../verification/decision.ts'
import { sayDuration } from './say-duration.ts'
import { excuseWords, type Words } from './words.ts'

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

export function sayPumping(facts: RuleFacts['pumping'], { country }: Words): string {
  switch (facts.because) {
    case 'off':
      return 'The guard is off for this app.'
    case 'unpaid_channel':
      return 'Not checked: nobody profits from messages on this channel.'
    case 'unread':
      return 'The guard’s data could not be read, so the message is not held back.'
    case 'safe_prefix':
      return 'The number has a safe prefix of this app.'
    case 'trusted':
      return 'The app has verified this recipient before.'
    case 'scout':
      return 'Let through to see whether its code is used.'
    case 'beside':
      return 'The place is closed, but nobody else asks for codes in this range of numbers: let through beside the attack.'
    case 'open':
      return 'No block applies.'
    case 'repeated':
      return sayRepeated(facts)
    case 'stopped':
      return sayStop(facts, country)
  }
}

/** Leaves out the evidence, which is not for a person's device. */
export function tellPumping(facts: RuleFacts['pumping']): string {
  const wait = 'retry_after' in facts ? `try again in ${sayDuration(facts.retry_after)}, ` : ''
  return (
    'Text messages to numbers like this one are held back, because too few codes sent there are used ' +
    `(scope pumping): ${wait}see the evidence with POST /routing/preview and a server key, ` +
    "or change the app's setting pumping (mode monitor or off, declared_countries, safe_prefixes)."
  )
}

function sayRepeated(facts: Repeated): string {
  const { excuse, otherwise, retry_after } = facts
  const evidence = `Pumping: this number ${sayCodes(facts)}. The next one is possible in ${sayDuration(retry_after)}.`
  return withExcuse(evidence, excuse, otherwise)
}

/** A number may owe for codes from before it last typed one: its approvals do not pay for all of them. */
function sayCodes({ sends, owed, max }: Repeated): string {
  const had = `has had ${sends} ${sends === 1 ? 'code' : 'codes'}`
  if (max === undefined || owed === undefined) return `${had} and typed none`
  return sends < max
    ? `${had} since it last typed one, and owes for about ${Math.round(owed)}, where it may owe for ${max}`
    : `${had} and typed none, where it may have ${max} without typing one`
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

function sayExpected(facts: Stopped): string {
  const { numbers, expected, ends, retry_after } = facts
  if (expected === undefined) return ''
  const people = Math.round(expected * numbers)
  const end =
    ends === 'approvals'
      ? `; it opens when codes are used there again, and the next message is tried in ${sayDuration(retry_after)}`
      : ends === 'time'
        ? `; it opens in ${sayDuration(retry_after)}`
        : ''
  return `, where about ${people} were expected${sayReason(facts)}${end}`
}

function sayReason({ reason, missing, threshold }: Stopped): string {
  if (reason === 'pair') return '; during an attack a second number of it was asked for within a minute'
  if (reason === 'missing') {
    const atLeast = missing
      ? `: at least ${missing.approvals}, and ${Math.round(missing.share * 100)} % of those due`
      : ''
    return `; codes that should have been used by now were not${atLeast}`
  }
  return threshold ? `; its debt has reached the threshold of ${threshold.toFixed(1)}` : ''
}

function withExcuse(evidence: string, excuse: Stopped['excuse'], otherwise: Stopped['otherwise']): string {
  if (excuse) {
    const handled = otherwise === 'reroute' ? 'rerouted' : 'refused'
    return `${excuseWords[excuse]}; otherwise it would be ${handled}. ${evidence}`
  }
  return otherwise === 'reroute' ? `${evidence} A WhatsApp link is used instead.` : evidence
}
