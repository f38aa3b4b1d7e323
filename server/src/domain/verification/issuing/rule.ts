/** One rule looks at one thing of a send or resend, and says what it found. It changes nothing itself. */
import {
  AppError,
  type ChannelName,
  type Decided,
  type ErrorDetails,
  type ErrorName,
  type PriceBook,
  whyOf,
} from '@countersign/contract'
import type { Keyring } from '../../../platform/keyring.ts'
import type { Assessment, LimitCheck, Reputation } from '../../guard/index.ts'
import type { Order, Providers, ResendStep } from '../../routing/index.ts'
import type { App } from '../../tenancy/index.ts'
import type { Verification } from '../verification.ts'
import type { BatchState } from './batch.ts'

/** Who is to be reached, and by what call. */
export interface Subject {
  readonly app: App
  readonly recipientType: 'phone' | 'email'
  readonly country: string | null
  readonly isFixedLine: boolean
  readonly isDisposable: boolean
  /** E.164; null for an email address. */
  readonly number: string | null
  readonly recipientHash: Buffer
  readonly clientIp: string | null
  readonly ipKey: string | null
  /** Null on a send. */
  readonly resend: { readonly current: Verification; readonly named: ChannelName | null } | null
}

export type Step = Exclude<ResendStep, { kind: 'nowhere' }>

/** What rules tell those after them. */
export interface Found {
  /** Whether the address is one of those held to the tighter limit. */
  readonly isFlagged: boolean
  /** Null until routing has been asked. */
  readonly route: { readonly order: Order; readonly step: Step } | null
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
}

/** What is to be written if every rule passes. */
export interface Wants {
  readonly counted?: readonly LimitCheck[]
  /** What the price book asks, and the caps count. */
  readonly spendMicros?: bigint
  /** What the company is charged of it. */
  readonly paidMicros?: bigint
  /** For the guard against pumping: a message that goes, or a person who goes another way. */
  readonly pumping?: { readonly recipient: string; readonly assessment: Assessment | null }
}

export interface RuleOutcome {
  readonly decided: Decided
  /** Ends the call; the rules after this one are not asked. */
  readonly refusal?: AppError
  readonly found?: Partial<Found>
  readonly wants?: Wants
}

/** Null where the rule has no say in this call. */
export type Rule = (subject: Subject, state: RuleState, context: RuleContext) => RuleOutcome | null

/** A refusal that tells the caller what the decision says. */
export const refuse = (decided: Decided, name: ErrorName, details?: ErrorDetails): RuleOutcome => ({
  decided,
  refusal: new AppError(name, whyOf(decided), details),
})

export function routeOf({ route }: Found): NonNullable<Found['route']> {
  if (!route) throw new Error('a rule that needs the channel stands before routing')
  return route
}
