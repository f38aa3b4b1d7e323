/**
 * The interface between the service and a provider.
 *
 * A provider kind (`smtp/`, `smpp/`, `twilio/`, `http/`, `whatsapp/`, `telegram/`) opens accounts with its settings; an
 * open account sends messages and understands what its provider reports later. Accounts know nothing about
 * verifications, money or the database: they translate a message into the provider's protocol, and the provider's
 * answers into ours.
 */
import type { LookupFunction } from 'node:net'
import type { ProviderKindName } from '@countersign/contract'
import type { z } from 'zod'
import type { HttpRequest } from '../platform/http-client.ts'

/** One message to one person, with everything that an account may need; each uses what its protocol can carry. */
export interface OutgoingMessage {
  readonly deliveryId: string
  /** E.164 with `+`, or an email address. */
  readonly recipient: string
  readonly code: string
  /** The text that a person reads. Providers with fixed templates (WhatsApp template mode, Telegram) ignore it. */
  readonly text: string
  /** For email only, like `html`. */
  readonly subject: string
  readonly html: string
  /** A BCP 47 tag of a language that was shipped or uploaded. */
  readonly locale: string
  /** How long the code is still valid: a message that arrives later is only a cost. */
  readonly ttlSeconds: number
  /** The database's time, so that times sent to a provider are right even if this machine's clock is wrong. */
  readonly nowMs: number
  /** The provider's id of the person's message, if this message answers one (WhatsApp link mode). */
  readonly inReplyTo: string | null
  /** The public URL to which this account's provider should send receipts. */
  readonly callbackUrl: string
}

/** The provider's words for what went wrong, without the recipient in them. */
export interface ProviderError {
  readonly code: string
  readonly message: string
}

/** How one attempt to hand a message over ended. */
export type SendOutcome =
  /** The provider accepted it; `messageId` is the provider's id, null if the protocol has none. */
  | { readonly kind: 'accepted'; readonly messageId: string | null }
  /** The request left and no answer came: the message may or may not arrive, and must not be sent again blindly. */
  | { readonly kind: 'uncertain'; readonly error: ProviderError }
  /** Certainly not accepted, and worth another try: throttled, 5xx, could not connect. */
  | { readonly kind: 'retry'; readonly error: ProviderError; readonly afterSeconds: number | null }
  /** This account will never accept it; another account of the channel might. */
  | { readonly kind: 'refused'; readonly error: ProviderError }
  /** The provider says that the person is not on this channel; believed if no other account says otherwise. */
  | { readonly kind: 'unreachable'; readonly error: ProviderError }
  /** The account itself is broken (credentials, payment, template): try another account, alert, send nothing more. */
  | { readonly kind: 'broken'; readonly error: ProviderError }

/** A provider's later report on a delivery. At least one of the two ids is set. */
export interface Receipt {
  readonly deliveryId: string | null
  readonly messageId: string | null
  /** Other forms that `messageId` may have had. The receipt counts if all of them lead to the same message. */
  readonly otherIds?: readonly string[]
  readonly status: 'delivered' | 'failed'
  readonly error: ProviderError | null
  /** True if the failure says that the person is not on this channel. */
  readonly unreachable: boolean
}

/** A message that a person wrote to us. */
export interface InboundMessage {
  readonly messageId: string
  /** E.164 with `+`; null if the provider does not say who wrote: then nothing may be approved. */
  readonly from: string | null
  readonly text: string
}

export interface CallbackRequest {
  readonly method: 'GET' | 'POST'
  /** The URL that the provider was given, with its query: signatures are over the public URL. */
  readonly url: string
  readonly query: Readonly<Record<string, string>>
  /** The part of the path after the account's id; null if there is none. */
  readonly token: string | null
  /** The caller's address, found through trusted proxies only. */
  readonly address: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The raw bytes, since signatures are over bytes. */
  readonly body: Buffer
  readonly nowMs: number
}

export type CallbackResult =
  /** Bad signature, stale or malformed: nothing is read, and the answer is 401, or 403 for a handshake. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** A handshake: answered 200 with this body. */
  | { readonly kind: 'challenge'; readonly body: string }
  | {
      readonly kind: 'accepted'
      readonly receipts: readonly Receipt[]
      readonly inbound: readonly InboundMessage[]
      /** Whether it contains reports for other accounts too: each reads its own, if the signature is valid for it. */
      readonly isShared?: boolean
    }

/** The state of the connection that an account keeps. */
export type Connection =
  | { readonly kind: 'up' }
  /** The first attempt is under way, or nobody has needed a connection yet. */
  | { readonly kind: 'connecting' }
  /** The last attempt failed or the connection was lost, and none has succeeded since. */
  | { readonly kind: 'down'; readonly error: ProviderError }

/** An open account. It may hold connections, and is closed once. */
export interface ProviderAccount {
  /** Never throws because of a provider: every failure is an outcome. `signal` is the deadline. */
  readonly send: (message: OutgoingMessage, signal: AbortSignal) => Promise<SendOutcome>
  /** The state of its connection: while it is down, the next account is asked first. Absent if it keeps none. */
  readonly connection?: () => Connection
  /** Connects, and signs in if the protocol has that, without sending a message; null if all is well. */
  readonly check?: (signal: AbortSignal) => Promise<ProviderError | null>
  /** Verifies the request before parsing it. Absent if receipts come over the account's own connection. */
  readonly parseCallback?: (request: CallbackRequest) => CallbackResult
  /** What an error in a receipt says about the account itself; null if it is about the message. */
  readonly faultOf?: (error: ProviderError) => 'retry' | 'broken' | null
  /** Whether callbacks come with a token after the account's id. Other accounts refuse a token. */
  readonly expectsCallbackToken?: boolean
  /** For a provider that never repeats a callback: how long to keep it waiting, nearly as long as it is willing to. */
  readonly callbackPatienceMs?: number
  /** Set if its provider sends large callbacks. */
  readonly maxCallbackBytes?: number
  /** Tells the provider that the right code was entered (Telegram counts conversions). Best effort. */
  readonly reportApproved?: (messageId: string, code: string, signal: AbortSignal) => Promise<void>
  /** The delivery that a return path belongs to; null for an address that this account never gave out. */
  readonly ownsReturnPath?: (address: string) => string | null
  readonly close: () => Promise<void>
}

/** What the service passes to an account. */
export interface AccountContext {
  readonly providerId: string
  /** Called with receipts that arrive over the account's own connection (SMPP). Rejects if one was not recorded. */
  readonly onReceipt: (receipt: Receipt) => Promise<void>
  /** True if this node sends nothing and expects no receipts: connections are opened only when needed. */
  readonly isPassive: boolean
  /** Resolves names, and checks the addresses if a customer set the name. Null for the system's resolver. */
  readonly lookup: LookupFunction | null
  /** `fields` must never contain a code, a credential or a recipient. */
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    fields: Readonly<Record<string, string | number>>,
  ) => void
}

/** The host that an account connects to. */
export interface ProviderHost {
  readonly host: string
  readonly isHttp: boolean
}

/** One kind of provider, in a folder beside this file. The contract describes its settings. */
export interface ProviderKind<Settings> {
  readonly kind: ProviderKindName
  /** Validates the settings that an operator writes. */
  readonly settings: z.ZodType<Settings>
  readonly hostOf: (settings: Settings) => ProviderHost
  /** Generates values that nobody should have to make up, before an account is stored. */
  readonly complete?: (settings: Settings) => Settings
  /** Whether the provider calls back over HTTP. Absent if it never does. */
  readonly callsBack?: (settings: Settings) => boolean
  /** The token after the account's id in its callback URL, if that authenticates callbacks. */
  readonly callbackToken?: (settings: Settings) => string | null
  /** The request that would carry a message, with credentials masked; null if a value does not fit into the URL. */
  readonly dryRun?: (settings: Settings, message: OutgoingMessage) => HttpRequest | null
  readonly open: (settings: Settings, context: AccountContext) => ProviderAccount
}
