/**
 * The state of a provider account.
 *
 * Every node notes facts, and they are judged when somebody asks: `failing` while the connection is down or attempts err,
 * `connecting` while the first connection is being made, `up` once it has answered, `unknown` if it has not been used yet.
 */
import type { ProviderError } from '../../../channels/channel.ts'

export type AccountStatus = 'up' | 'connecting' | 'failing' | 'unknown'

export interface AccountState {
  readonly status: AccountStatus
  readonly since: Date | null
  readonly lastError: (ProviderError & { readonly at: Date }) | null
  readonly hour: HourOfAccount
}

/** Figures of the last hour. */
export interface HourOfAccount {
  /** Messages that the account took. */
  readonly sent: number
  /** Attempts that the account did not take, and messages that it took and then reported as failed. */
  readonly failed: number
  readonly delivered: number
  /** The average time from the call to the answer, and from there to the receipt; null if there were none. */
  readonly acceptMs: number | null
  readonly deliverMs: number | null
}

export const noHour: HourOfAccount = { sent: 0, failed: 0, delivered: 0, acceptMs: null, deliverMs: null }

/** What is stored of one account, as it is set up now. */
export interface AccountFacts {
  readonly link: 'up' | 'connecting' | 'down' | null
  readonly linkSince: Date | null
  /** Errors in a row, and since when. */
  readonly errors: number
  readonly firstErrorAt: Date | null
  /** The provider says that the account itself cannot be used: credentials, payment. */
  readonly isBroken: boolean
  readonly answeredAt: Date | null
  readonly upSince: Date | null
  readonly lastError: AccountState['lastError']
}

export const errorsToFail = 3
/** A single error is enough if the account has not answered for this long. */
export const quietMs = 60_000

export function judge(facts: AccountFacts | undefined): Pick<AccountState, 'status' | 'since' | 'lastError'> {
  if (!facts) return { status: 'unknown', since: null, lastError: null }
  const { lastError } = facts
  if (facts.link === 'down') return { status: 'failing', since: facts.linkSince, lastError }
  if (isErring(facts)) return { status: 'failing', since: facts.firstErrorAt, lastError }
  if (facts.link === 'connecting') return { status: 'connecting', since: facts.linkSince, lastError }
  const since = facts.link === 'up' ? facts.linkSince : facts.upSince
  return { status: since ? 'up' : 'unknown', since, lastError }
}

function isErring({ errors, firstErrorAt, isBroken, answeredAt }: AccountFacts): boolean {
  if (errors === 0 || !firstErrorAt) return false
  if (isBroken || errors >= errorsToFail || !answeredAt) return true
  return firstErrorAt.getTime() - answeredAt.getTime() > quietMs
}
