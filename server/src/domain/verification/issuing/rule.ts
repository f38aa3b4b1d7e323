/** A rule checks one thing of a send or resend, and says what it found. It changes nothing itself. */
import {
  AppError,
  type ChannelName,
  type Decided,
  type ErrorDetails,
  type ErrorName,
  type KeyKind,
  type PriceBook,
  toldOf,
} from '@countersign/contract'
import type { AppId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import type { Assessment, LimitRow, LimitState, Reputation } from '../../guard/index.ts'
import type { KnownRoutes, Order, Provider, Providers, ResendStep } from '../../routing/index.ts'
import type { App } from '../../tenancy/index.ts'
import type { Verification } from '../verification.ts'
import type { BatchState } from './batch.ts'

/** The recipient that a call wants to reach, and what the rules need to know of the call. */
export interface Subject {
  readonly app: App
  readonly keyKind: KeyKind
  readonly recipientType: 'phone' | 'email'
  readonly country: string | null
  readonly isFixedLine: boolean
  readonly isDisposable: boolean
  /** E.164; null for an email address. */
  readonly number: string | null
  /** The number, and as messages go to it, which some countries spell in another way; none for an email address. */
  readonly spellings: readonly string[]
  /** In ASCII; null for a phone number. */
  readonly emailDomain: string | null
  readonly recipientHash: Buffer
  readonly clientIp: string | null
  readonly ipKey: string | null
  /** The channels that a send may use, even outside the order; null for those of the order. */
  readonly among: readonly ChannelName[] | null
  /** Null on a send. */
  readonly resend: { readonly current: Verification; readonly named: ChannelName | null } | null
}

export type Step = Exclude<ResendStep, { kind: 'nowhere' }>

/** What the app's own rules demand of the rules after them. */
export interface OwnDemands {
  /** The channels that are left; null if no rule restricts them. */
  readonly channels: ReadonlySet<ChannelName> | null
  readonly needsLink: boolean
  /** Lists of addresses and the guard against pumping do not stop the call. */
  readonly isExcused: boolean
}

export const noOwnDemands: OwnDemands = { channels: null, needsLink: false, isExcused: false }

/** What a rule tells the rules after it. */
export interface Found {
  /** Whether somebody has let this recipient past the guard. */
  readonly isAllowed: boolean
  /** Whether the address is flagged, so that the tighter limit applies. */
  readonly isFlagged: boolean
  readonly demands: OwnDemands
  /** Null until routing has been asked. */
  readonly route: { readonly order: Order; readonly step: Step } | null
  /** The account that was chosen by what is known of routes; null for the first by priority. */
  readonly account: Provider | null
}

export interface RuleState {
  /** What was read for the batch, as the calls before this one left it. */
  readonly batch: BatchState
  readonly found: Found
}

export interface RuleContext {
  readonly reputation: Reputation
  readonly providers: Providers
  readonly prices: PriceBook
  readonly keyring: Keyring
  /** What is known of routes, for apps that choose by it; an app is missing if that could not be read. */
  readonly routes: ReadonlyMap<AppId, KnownRoutes>
  /** Returns a number from 0 to 1. */
  readonly random: () => number
}

/** What is to be written if every rule passes. */
export interface Wants {
  readonly counted?: readonly LimitRow[]
  /** The price by the price book, which counts towards the spend caps. */
  readonly spendMicros?: bigint
  /** What the company is charged. */
  readonly paidMicros?: bigint
  /** What the choice of the account is expected to save, in micros. */
  readonly saved?: number
  /** For the guard against pumping: a message that goes out, or a person who gets a link instead. */
  readonly pumping?: {
    readonly recipient: string
    readonly assessment: Assessment
    readonly isRerouted: boolean
  }
}

/** The new state of a row of `limits`. */
export interface KeptLimit {
  readonly row: LimitRow
  readonly state: LimitState
}

/** What is written whether the call is refused or not. */
export interface Keeps {
  readonly limits?: readonly KeptLimit[]
  /** For the guard against pumping: a message that it holds back, or would if it did more than watch. */
  readonly held?: {
    readonly recipient: string
    readonly assessment: Assessment
    readonly isWatched: boolean
    readonly priceMicros: bigint
  }
}

export interface RuleOutcome {
  /** Several if one entry of the list stands for several rules. */
  readonly decided: Decided | readonly Decided[]
  /** Ends the call; the rules after this one are not asked. */
  readonly refusal?: AppError
  readonly found?: Partial<Found>
  readonly wants?: Wants
  readonly keeps?: Keeps
}

/** Null if the rule does not apply to this call. */
export type Rule = (subject: Subject, state: RuleState, context: RuleContext) => RuleOutcome | null

/** A refusal whose message is the sentence of the decision, without what only the app may know. */
export const refuse = (decided: Decided, name: ErrorName, details?: ErrorDetails): RuleOutcome => ({
  decided,
  refusal: new AppError(name, toldOf(decided), details),
})

export function routeOf({ route }: Found): NonNullable<Found['route']> {
  if (!route) throw new Error('a rule that needs the channel stands before routing')
  return route
}
