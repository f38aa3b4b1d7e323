/** All kinds of providers, behind one interface. */
import { type ChannelName, destinationOf, kindsOfProvider, secretSettings } from '@countersign/contract'
import type { HttpRequest } from '../platform/http-client.ts'
import type {
  AccountContext,
  OutgoingMessage,
  ProviderAccount,
  ProviderHost,
  ProviderKind,
} from './channel.ts'
import { http } from './http/index.ts'
import { smpp } from './smpp/index.ts'
import { smtp } from './smtp/index.ts'
import { telegram } from './telegram/index.ts'
import { twilio } from './twilio/index.ts'
import { whatsapp } from './whatsapp/index.ts'

type Settings = Record<string, unknown>

/** Kinds differ in their settings; each validates its own again before it uses them. */
export interface AnyKind extends Pick<ProviderKind<Settings>, 'kind' | 'settings'> {
  readonly channel: ChannelName
  /** The names of settings that are credentials: encrypted at rest, written and never read back. */
  readonly secretSettings: readonly string[]
  readonly destination: Destination
  readonly complete: (settings: Settings) => Settings
  /** Null if the provider does not call back; else the token after the account's id in its callback URL. */
  readonly callbackOf: (settings: Settings) => { readonly token: string | null } | null
  /** Absent if a message is not a single request. */
  readonly dryRun?: (settings: Settings, message: OutgoingMessage) => HttpRequest | null
  readonly open: (settings: Settings, context: AccountContext) => ProviderAccount
}

/** Where an account sends its credentials. They were given for that host, and must not go to another. */
interface Destination {
  /** The settings that decide where the credentials go, and how they are protected on the way. */
  readonly settings: readonly string[]
  /** The credentials that go there, and have to be given again when one of those settings changes. */
  readonly credentials: readonly string[]
  readonly hostOf: (settings: Settings) => ProviderHost
}

function asAnyKind<Own extends Settings>(typed: ProviderKind<Own>): AnyKind {
  const { kind, settings, hostOf, complete, callsBack, callbackToken, dryRun, open } = typed
  return {
    kind,
    settings,
    channel: kindsOfProvider[kind].channel,
    secretSettings: secretSettings(kind),
    destination: { ...destinationOf(kind), hostOf: (written) => hostOf(settings.parse(written)) },
    complete: (written) => (complete ? complete(settings.parse(written)) : written),
    callbackOf: (written) => {
      const parsed = settings.safeParse(written)
      // Even if an account's credentials are lost, its provider still calls back.
      if (!callsBack || (parsed.success && !callsBack(parsed.data))) return null
      return { token: (parsed.success && callbackToken?.(parsed.data)) || null }
    },
    ...(dryRun ? { dryRun: (written, message) => dryRun(settings.parse(written), message) } : {}),
    open: (written, context) => open(settings.parse(written), context),
  }
}

export const providerKinds = {
  http: asAnyKind(http),
  smpp: asAnyKind(smpp),
  smtp: asAnyKind(smtp),
  telegram: asAnyKind(telegram),
  twilio: asAnyKind(twilio),
  whatsapp: asAnyKind(whatsapp),
} as const

/** All kinds, some of which may be replaced. */
export type Kinds = Readonly<Record<keyof typeof providerKinds, AnyKind>>
