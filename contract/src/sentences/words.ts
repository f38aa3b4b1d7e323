import type { RuleFacts } from '../decision.ts'
import type { ChannelName } from '../vocabulary.ts'

/** What a reader calls channels, countries and the like. */
export interface Words {
  readonly country: (code: string) => string
  readonly channel: (name: ChannelName) => string
  readonly money: (amount: string) => string
  readonly account: (providerId: string) => string
  readonly recipient: string
  readonly clientIp: string
  /** Follows what was counted, for whoever reads the details of an error. */
  readonly scope: (name: string) => string
  /** How long a refusal holds. Whoever called reads it at once; whoever looks at a page, maybe a day later. */
  readonly again: (duration: string) => string
}

export const wordsOfApi: Words = {
  country: (code) => code,
  channel: (name) => name,
  money: (amount) => amount,
  account: (providerId) => providerId,
  recipient: 'recipient',
  clientIp: 'client_ip',
  scope: (name) => ` (scope ${name})`,
  again: (duration) => `Try again in ${duration}`,
}

type Excuse = NonNullable<Extract<RuleFacts['pumping'], { because: 'stopped' }>['excuse']>

export const excuseWords: Readonly<Record<Excuse, string>> = {
  monitored: 'Monitored only',
  simulated: 'Simulated',
  learning: 'Learning what is usual for this app',
  own_rule: 'A rule of the app lets it pass',
  exception: 'Somebody lets this recipient pass',
}
