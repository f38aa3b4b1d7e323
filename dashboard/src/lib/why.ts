/** What a rule said of a send, for people: the service names countries, channels, limits and amounts as its API does. */
import type { RuleResult } from '@countersign/contract'
import { asSentence } from './api-error.ts'
import { channelLabels, countryName } from './format.ts'

const limitWords: Readonly<Record<string, string>> = {
  recipient: 'one recipient',
  ip: 'one address',
  flagged_ip: 'one flagged address',
  app: 'the whole app',
  app_without_ip: 'sends without an address',
}

const limits = (why: string) =>
  why.replace(/^Within ([\w, ]+)\.$/, (_, scopes: string) => {
    const words = scopes.split(', ').map((scope) => limitWords[scope] ?? scope)
    return `Within the limits for ${words.join(', ')}.`
  })

const countries = (why: string) => why.replace(/\b[A-Z]{2}\b/g, (code) => countryName(code))

const channels = (why: string) =>
  Object.entries(channelLabels).reduce(
    (text, [name, label]) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), label),
    why,
  )

const byRule: Readonly<Record<string, (why: string) => string>> = {
  recipient: countries,
  geo: countries,
  routing: channels,
  limits,
  spend: countries,
}

export function whyInWords({ rule, why }: RuleResult, money: (amount: string) => string): string {
  const named = byRule[rule]?.(why) ?? why
  const priced = named.replace(/\b\d+\.\d{6}\b/g, money)
  return asSentence(priced.replaceAll('client_ip', 'client IP'))
}
