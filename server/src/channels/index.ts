/** Every kind of provider there is, behind one face. */
import { type ChannelName, destinationOf, kindsOfProvider, secretSettings } from '@countersign/contract'
import type { AccountContext, Place, ProviderAccount, ProviderKind } from './channel.ts'
import { smpp } from './smpp/index.ts'
import { smtp } from './smtp/index.ts'
import { telegram } from './telegram/index.ts'
import { twilio } from './twilio/index.ts'
import { whatsapp } from './whatsapp/index.ts'

type Settings = Record<string, unknown>

/** Kinds differ in their settings; each checks its own again before it uses them. */
export interface AnyKind extends Pick<ProviderKind<Settings>, 'kind' | 'settings'> {
  readonly channel: ChannelName
  /** Names of settings that are credentials: encrypted at rest, written and never read back. */
  readonly secretSettings: readonly string[]
  readonly destination: Destination
  readonly open: (settings: Settings, context: AccountContext) => ProviderAccount
}

/** Where an account sends its credentials. What is stored was given for that place, and goes to no other. */
interface Destination {
  /** Settings that decide it, and how well the credentials are protected on the way. */
  readonly settings: readonly string[]
  /** Credentials that go there, and so are to be given again when one of those settings changes. */
  readonly credentials: readonly string[]
  readonly placeOf: (settings: Settings) => Place
}

function behindOneFace<Own extends Settings>({ kind, settings, placeOf, open }: ProviderKind<Own>): AnyKind {
  return {
    kind,
    settings,
    channel: kindsOfProvider[kind].channel,
    secretSettings: secretSettings(kind),
    destination: { ...destinationOf(kind), placeOf: (written) => placeOf(settings.parse(written)) },
    open: (written, context) => open(settings.parse(written), context),
  }
}

export const providerKinds = {
  smpp: behindOneFace(smpp),
  smtp: behindOneFace(smtp),
  telegram: behindOneFace(telegram),
  twilio: behindOneFace(twilio),
  whatsapp: behindOneFace(whatsapp),
} as const
