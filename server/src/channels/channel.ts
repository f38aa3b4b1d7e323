/**
 * What a provider is to the rest of the house.
 *
 * A provider kind (`smtp/`, `smpp/`, `twilio/`, `http/`, `whatsapp/`, `telegram/`) opens accounts with its
 * settings; an open account sends messages and understands what its provider says later. Accounts know
 * nothing of verifications, money or the database: they turn a message into the provider's wire, and the
 * provider's words into ours.
 */
import type { LookupFunction } from 'node:net'
import type { ProviderKindName } from '@countersign/contract'
import type { z } from 'zod'
import type { HttpRequest } from '../platform/http-client.ts'

export type ChannelName = 'sms' | 'whatsapp' | 'telegram' | 'email'

/** One message to one person. Everything an account may need; each takes what its wire can carry. */
export interface OutgoingMessage {
  readonly deliveryId: string
  /** E.164 with `+`, or an email address. */
  readonly recipient: string
  readonly code: string
  /** What a person reads. Providers with fixed templates (WhatsApp template mode, Telegram) ignore it. */
  readonly text: string
  /** Email only. */
  readonly subject: string
  readonly html: string
  /** BCP 47, one that has been shipped or uploaded. */
  readonly locale: string
  /** What is left of the code's life: a message that arrives later is pure cost. */
  readonly ttlSeconds: number
  /** The database's time, so that what a provider is told of times is right where this machine's clock is wrong. */
  readonly nowMs: number
  /** Set when the message answers one the person wrote (WhatsApp link mode): the provider's id of theirs. */
  readonly inReplyTo: string | null
  /** Where this account's provider should send receipts, under the public address. */
  readonly callbackUrl: string
}

/** A provider's own words for what went wrong, without the recipient in them. */
export interface ProviderError {
  readonly code: string
  readonly message: string
}

/** What became of one attempt to hand a message over. */
export type SendOutcome =
  /** The provider took it; `messageId` is its name for it, null where the wire has none. */
  | { readonly kind: 'accepted'; readonly messageId: string | null }
  /** The request left and no answer came: it may or may not arrive, and must not be sent again blindly. */
  | { readonly kind: 'uncertain'; readonly error: ProviderError }
  /** Certain not to have been taken, worth another try: throttled, 5xx, could not connect. */
  | { readonly kind: 'retry'; readonly error: ProviderError; readonly afterSeconds: number | null }
  /** This account will not take it, now or later; another account of the channel might. */
  | { readonly kind: 'refused'; readonly error: ProviderError }
  /** The person is not on this channel, says the provider; believed when no other account says otherwise. */
  | { readonly kind: 'unreachable'; readonly error: ProviderError }
  /** The account itself is broken (credentials, payment, template): try another account, alert, send no more. */
  | { readonly kind: 'broken'; readonly error: ProviderError }

/** A provider's later word on a delivery. At least one of the two names is set. */
export interface Receipt {
  readonly deliveryId: string | null
  readonly messageId: string | null
  /** What `messageId` may have been as well. It counts if all these are names of one message. */
  readonly otherIds?: readonly string[]
  readonly status: 'delivered' | 'failed'
  readonly error: ProviderError | null
  /** True where the failure says that the person is not on this channel. */
  readonly unreachable: boolean
}

/** A message that a person wrote to us. */
export interface InboundMessage {
  readonly messageId: string
  /** E.164 with `+`; null when the provider does not say who wrote, and then nothing may be approved. */
  readonly from: string | null
  readonly text: string
}

export interface CallbackRequest {
  readonly method: 'GET' | 'POST'
  /** The address as the provider was told it, with query: signatures are over the public one. */
  readonly url: string
  readonly query: Readonly<Record<string, string>>
  /** What the address has behind the account's id; null where it ends there. */
  readonly token: string | null
  /** Who calls, read through trusted proxies only. */
  readonly address: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Raw: signatures are over bytes. */
  readonly body: Buffer
  readonly nowMs: number
}

export type CallbackResult =
  /** Bad signature, stale or malformed: answered 401, nothing was read. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** A handshake: answered 200 with this body. */
  | { readonly kind: 'challenge'; readonly body: string }
  | {
      readonly kind: 'accepted'
      readonly receipts: readonly Receipt[]
      readonly inbound: readonly InboundMessage[]
      /** It holds what is of other accounts too: each reads its own, if the signature holds for it as well. */
      readonly isShared?: boolean
    }

/** The connection that an account keeps. */
export type Connection =
  | { readonly kind: 'up' }
  /** The first try is under way, or nobody has asked for a connection yet. */
  | { readonly kind: 'connecting' }
  /** The last try has failed, or it was lost, and no other has succeeded since. */
  | { readonly kind: 'down'; readonly error: ProviderError }

/** An account that is open: it may hold connections, and is closed once. */
export interface ProviderAccount {
  /** Never throws for what a provider does: every ending is an outcome. `signal` is the deadline. */
  readonly send: (message: OutgoingMessage, signal: AbortSignal) => Promise<SendOutcome>
  /** What its connection is like: while it is down, the next account in line is asked first. Absent where it keeps none. */
  readonly connection?: () => Connection
  /** Connects, and signs in where the wire has that, without sending anything; null when all is well. */
  readonly check?: (signal: AbortSignal) => Promise<ProviderError | null>
  /** Verifies before it parses. Absent where receipts come over the account's own connection. */
  readonly parseCallback?: (request: CallbackRequest) => CallbackResult
  /** What an error in a receipt says of the account itself, as in an answer; null where it is about the message. */
  readonly faultOf?: (error: ProviderError) => 'retry' | 'broken' | null
  /** Callbacks come with a token behind the account's id. To other accounts none may come with one. */
  readonly expectsCallbackToken?: boolean
  /**
   * How long to keep a provider waiting that never repeats a callback: as long as it waits itself, nearly.
   */
  readonly callbackPatienceMs?: number
  /** Where its provider puts much into one callback. */
  readonly maxCallbackBytes?: number
  /** Tells the provider that the code was entered correctly (Telegram counts conversions). Best effort. */
  readonly reportApproved?: (messageId: string, code: string, signal: AbortSignal) => Promise<void>
  /** The delivery whose return path this mail address is; null for one that this account never gave out. */
  readonly ownsReturnPath?: (address: string) => string | null
  readonly close: () => Promise<void>
}

/** What an account gets from the house. */
export interface AccountContext {
  readonly providerId: string
  /** Receipts that arrive over the account's own connection (SMPP). Rejects when one could not be recorded. */
  readonly onReceipt: (receipt: Receipt) => Promise<void>
  /** True where nothing will be sent and no receipt is waited for: connections are not opened until they are needed. */
  readonly isPassive: boolean
  /** How names are resolved, and checked where a customer sets the address. Null: as the system does. */
  readonly lookup: LookupFunction | null
  /** `fields` never hold a code, a credential or a recipient. */
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields: Readonly<Record<string, string | number>>,
  ) => void
}

/** The machine that an account talks to. */
export interface Place {
  readonly host: string
  readonly isHttp: boolean
}

/** One kind of provider: a folder beside this file. Its settings, and what each of them is, are in the contract. */
export interface ProviderKind<Settings> {
  readonly kind: ProviderKindName
  /** Validates what an operator writes. */
  readonly settings: z.ZodType<Settings>
  readonly placeOf: (settings: Settings) => Place
  /** Fills in what nobody should have to make up, before an account is stored. */
  readonly complete?: (settings: Settings) => Settings
  /** Whether the provider calls back over HTTP. Absent where it never does. */
  readonly callsBack?: (settings: Settings) => boolean
  /** What stands behind the account's id in its callback address, where that is how callbacks are known. */
  readonly callbackToken?: (settings: Settings) => string | null
  /** The request that a message would be, with credentials masked; null where its values fit no address. */
  readonly dryRun?: (settings: Settings, message: OutgoingMessage) => HttpRequest | null
  readonly open: (settings: Settings, context: AccountContext) => ProviderAccount
}
