import type { RuleFacts } from '../verification/decision.ts'
import type { ChannelName } from '../vocabulary.ts'

/** The words in which a reader is told of channels, countries and the like: the API's or a page's. */
export interface Words {
  readonly country: (code: string) => string
  readonly channel: (name: ChannelName) => string
  readonly money: (amount: string) => string
  readonly account: (providerId: string) => string
  readonly recipient: string
  readonly clientIp: string
  /** Added after what was counted. In the API it names the scope that the error's details have. */
  readonly scope: (name: string) => string
  /** How long a refusal holds. A caller reads it at once, a person on a page maybe a day later. */
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
