/**
 * Sends and resends that are decided together, in one transaction.
 *
 * The rows of its companies are locked first, so everything that follows in a company is decided one call after the
 * other, on this node and on all others: replays, limits and balances are read after the lock, judged in memory in the
 * order of arrival, and written in one go. The answers are those that the calls would have had one by one.
 */
import type { ChannelName, Decided, ExceptionKind, KeyKind, VerificationAnswer } from '@countersign/contract'
import type { CompanyId, KeyId, OtpId } from '../../../platform/ids.ts'
import type { Funds, Spend } from '../../billing/index.ts'
import type { DueDelivery, PlainMessage } from '../../delivery/index.ts'
import {
  type ClientIp,
  countedByNow,
  type LimitRow,
  type LimitState,
  type Pumping,
  type Recipient,
} from '../../guard/index.ts'
import type { App } from '../../tenancy/index.ts'
import type { Refusal } from '../refusals/refusal.ts'
import type { Verification } from '../verification.ts'

export interface SendCall {
  readonly kind: 'send'
  readonly app: App
  readonly keyId: KeyId
  readonly keyKind: KeyKind
  readonly recipient: Recipient
  readonly recipientHash: Buffer
  readonly locale: string
  /** The name that the messages use for the app; null for the app's own name. */
  readonly friendlyName: string | null
  readonly clientIp: ClientIp | null
  /** The channels that the send may use, even outside the order; null for those of the order. */
  readonly among: readonly ChannelName[] | null
  readonly idempotencyHash: Buffer | null
}

export interface ResendCall {
  readonly kind: 'resend'
  readonly app: App
  /** Null if a person asked. */
  readonly keyId: KeyId | null
  readonly keyKind: KeyKind
  readonly otpId: OtpId
  readonly channel: ChannelName | null
  /** The name that the messages use for the app from now on; undefined for no change. */
  readonly friendlyName: string | null | undefined
}

export type Call = SendCall | ResendCall

export interface Replay {
  readonly recipientHash: Buffer
  readonly answer: VerificationAnswer
}

/** What was read of one company under its lock, kept up to date as calls are decided. */
export class BatchState {
  readonly nowMs: number
  readonly funds: Funds
  readonly verifications: Map<string, Verification>
  readonly replays: Map<string, Replay>
  /** Null if the guard's tables could not be read, or no app in the batch uses the guard. */
  readonly pumping: Pumping | null
  /** Null if the spending could not be read. */
  readonly spend: Spend | null
  readonly #unreachable: ReadonlyMap<string, ReadonlySet<ChannelName>>
  readonly #exceptions: ReadonlyMap<string, ExceptionKind>
  readonly #limits: Map<string, LimitState>
  readonly #known: ReadonlySet<string>

  constructor(read: {
    readonly nowMs: number
    readonly funds: Funds
    readonly verifications: Map<string, Verification>
    readonly replays: Map<string, Replay>
    readonly unreachable: ReadonlyMap<string, ReadonlySet<ChannelName>>
    readonly exceptions: ReadonlyMap<string, ExceptionKind>
    readonly limits: Map<string, LimitState>
    readonly known: ReadonlySet<string>
    readonly pumping: Pumping | null
    readonly spend: Spend | null
  }) {
    this.nowMs = read.nowMs
    this.funds = read.funds
    this.verifications = read.verifications
    this.replays = read.replays
    this.pumping = read.pumping
    this.spend = read.spend
    this.#unreachable = read.unreachable
    this.#exceptions = read.exceptions
    this.#limits = read.limits
    this.#known = read.known
  }

  unreachableFor(appId: string, recipientHash: Buffer): ReadonlySet<ChannelName> {
    return this.#unreachable.get(stateKey(appId, recipientHash)) ?? new Set()
  }

  exceptionFor(companyId: string, recipientHash: Buffer): ExceptionKind | null {
    return this.#exceptions.get(stateKey(companyId, recipientHash)) ?? null
  }

  /** Only read for apps whose rules ask for it. */
  isKnown(appId: string, recipientHash: Buffer): boolean {
    return this.#known.has(stateKey(appId, recipientHash))
  }

  limit(companyId: string, check: LimitRow): LimitState {
    return countedByNow(check, this.#limits.get(stateKey(companyId, check.key)) ?? [], this.nowMs)
  }

  setLimit(companyId: string, check: LimitRow, state: LimitState): void {
    this.#limits.set(stateKey(companyId, check.key), state)
  }
}

export const stateKey = (owner: string, key: Buffer) => `${owner} ${key.toString('latin1')}`

/** Includes the app, so that a verification of another app is not found. */
export const verificationKey = (appId: string, otpId: string) => `${appId} ${otpId}`

export interface NewDelivery {
  readonly deliveryId: string
  readonly verification: Verification
  readonly providerId: string
  /** What the company is charged. */
  readonly priceMicros: bigint
  /** What counts towards the spend caps. */
  readonly spendMicros: bigint
  /** What the chosen account is expected to save, compared with the one that has priority. */
  readonly savedMicros: number
  readonly entryId: string
  /** The recipient and code in plain text; null if they are not at hand. */
  readonly plain: PlainMessage | null
  /** When the message was accepted, by the database's clock. */
  readonly nowMs: number
}

export const lineOf = ({ verification, providerId, deliveryId }: NewDelivery) => ({
  companyId: verification.companyId,
  providerId,
  deliveryId,
})

/** The delivery as a worker would find it in the table, claimed for its first attempt. */
export const dueOf = ({ verification, providerId, deliveryId, plain, nowMs }: NewDelivery): DueDelivery => ({
  appId: verification.appId,
  deliveryId,
  companyId: verification.companyId,
  otpId: verification.otpId,
  channel: verification.channel,
  providerId,
  tried: [],
  replyTo: null,
  attempt: 1,
  codeVersion: verification.codeVersion,
  recipient: verification.recipient,
  plain,
  country: verification.country,
  locale: verification.locale,
  friendlyName: verification.friendlyName,
  dataKey: verification.dataKey,
  codeLength: verification.codeLength,
  staleReason: null,
  ttlSeconds: Math.round((verification.expiresAt.getTime() - nowMs) / 1000),
  takenOver: 'no',
})

export interface NewDecision {
  readonly decisionId: string
  readonly verification: Verification
  readonly kind: Call['kind']
  readonly keyKind: KeyKind
  readonly rules: readonly Decided[]
}

export interface NewLink {
  readonly ownerId: string
  readonly verification: Verification
  readonly number: string
  readonly referenceHash: Buffer
}

export interface ChargedLimit {
  readonly companyId: CompanyId
  readonly check: LimitRow
  readonly state: LimitState
}

export interface NewReplay extends Replay {
  readonly companyId: CompanyId
  readonly idempotencyHash: Buffer
  readonly sealedAnswer: Buffer
}

/** What a batch will write. If several calls change a row, only its last state is written. */
export class BatchWrites {
  readonly inserted: Verification[] = []
  readonly updated = new Map<string, Verification>()
  readonly deliveries: NewDelivery[] = []
  readonly decisions: NewDecision[] = []
  readonly links: NewLink[] = []
  readonly replays: NewReplay[] = []
  readonly limits = new Map<string, ChargedLimit>()
  /** Noted once the batch is committed, and written later. */
  readonly refusals: Refusal[] = []
}
