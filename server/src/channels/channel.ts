/**
 * What a provider is to the rest of the service.
 *
 * A provider kind (`smtp/`, `smpp/`, `twilio/`, `http/`, `whatsapp/`, `telegram/`) opens accounts with its
 * settings; an open account sends messages and understands what its provider reports later. Accounts know nothing of
 * verifications, money or the database: they translate a message into the provider's protocol, and the provider's
 * answers into ours.
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
  /** The database's time, so that times sent to a provider are right even if this machine's clock is wrong. */
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

/** How one attempt to hand a message over ended. */
export type SendOutcome =
  /** The provider took it; `messageId` is its own id, null if the protocol has none. */
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

/** A provider's later report on a delivery. At least one of the two ids is set. */
export interface Receipt {
  readonly deliveryId: string | null
  readonly messageId: string | null
  /** Other forms that `messageId` may have had. The receipt counts if all of them lead to one message. */
  readonly otherIds?: readonly string[]
  readonly status: 'delivered' | 'failed'
  readonly error: ProviderError | null
  /** True if the failure says that the person is not on this channel. */
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
  /** What follows the account's id in the address; null if it ends there. */
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
      /** It may contain reports for other accounts too: each reads its own, if the signature is valid for it. */
      readonly isShared?: boolean
    }

/** The connection that an account keeps. */
export type Connection =
  | { readonly kind: 'up' }
  /** The first try is under way, or nobody has asked for a connection yet. */
  | { readonly kind: 'connecting' }
  /** The last try failed or the connection was lost, and none has succeeded since. */
  | { readonly kind: 'down'; readonly error: ProviderError }

/** An account that is open: it may hold connections, and is closed once. */
export interface ProviderAccount {
  /** Never throws for what a provider does: every ending is an outcome. `signal` is the deadline. */
  readonly send: (message: OutgoingMessage, signal: AbortSignal) => Promise<SendOutcome>
  /** The state of its connection: while it is down, the next account is asked first. Absent if it keeps none. */
  readonly connection?: () => Connection
  /** Connects, and signs in if the protocol has that, without sending anything; null if all is well. */
  readonly check?: (signal: AbortSignal) => Promise<ProviderError | null>
  /** Verifies before it parses. Absent if receipts come over the account's own connection. */
  readonly parseCallback?: (request: CallbackRequest) => CallbackResult
  /** What an error in a receipt says about the account itself, as an answer would; null if it is about the message. */
  readonly faultOf?: (error: ProviderError) => 'retry' | 'broken' | null
  /** Callbacks come with a token after the account's id. For other accounts a token is refused. */
  readonly expectsCallbackToken?: boolean
  /** How long to keep a provider waiting that never repeats a callback: nearly as long as it waits itself. */
  readonly callbackPatienceMs?: number
  /** Set if its provider puts much into one callback. */
  readonly maxCallbackBytes?: number
  /** Tells the provider that the code was entered correctly (Telegram counts conversions). Best effort. */
  readonly reportApproved?: (messageId: string, code: string, signal: AbortSignal) => Promise<void>
  /** The delivery whose return path this mail address is; null for one that this account never gave out. */
  readonly ownsReturnPath?: (address: string) => string | null
  readonly close: () => Promise<void>
}

/** What an account gets from the service. */
export interface AccountContext {
  readonly providerId: string
  /** Receipts that arrive over the account's own connection (SMPP). Rejects when one could not be recorded. */
  readonly onReceipt: (receipt: Receipt) => Promise<void>
  /** True if nothing is sent from here and no receipts are expected: connections are opened only when needed. */
  readonly isPassive: boolean
  /** Resolves names, and checks them if a customer sets the address. Null for the system's own way. */
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
  /** Whether the provider calls back over HTTP. Absent if it never does. */
  readonly callsBack?: (settings: Settings) => boolean
  /** The token after the account's id in its callback address, if that authenticates callbacks. */
  readonly callbackToken?: (settings: Settings) => string | null
  /** The request that a message would be, with credentials masked; null if its values fit no address. */
  readonly dryRun?: (settings: Settings, message: OutgoingMessage) => HttpRequest | null
  readonly open: (settings: Settings, context: AccountContext) => ProviderAccount
}
