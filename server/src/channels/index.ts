/** Every kind of provider there is, behind one face. */
import type { AccountContext, Destination, ProviderAccount, ProviderKind } from './channel.ts'
import { smpp } from './smpp/index.ts'
import { smtp } from './smtp/index.ts'
import { telegram } from './telegram/index.ts'
import { twilio } from './twilio/index.ts'
import { whatsapp } from './whatsapp/index.ts'

type Settings = Record<string, unknown>

/** Kinds differ in their settings; each checks its own again before it uses them. */
export interface AnyKind extends Pick<ProviderKind<Settings>, 'kind' | 'channel' | 'settings'> {
  readonly secretSettings: readonly string[]
  readonly destination: Omit<Destination<Settings>, 'settings' | 'credentials'> & {
    readonly settings: readonly string[]
    readonly credentials: readonly string[]
  }
  readonly open: (settings: Settings, context: AccountContext) => ProviderAccount
}

function behindOneFace<Own extends Settings>(kind: ProviderKind<Own>): AnyKind {
  return {
    ...kind,
    destination: {
      ...kind.destination,
      placeOf: (settings) => kind.destination.placeOf(kind.settings.parse(settings)),
    },
    open: (settings, context) => kind.open(kind.settings.parse(settings), context),
  }
}

export const providerKinds = {
  smpp: behindOneFace(smpp),
  smtp: behindOneFace(smtp),
  telegram: behindOneFace(telegram),
  twilio: behindOneFace(twilio),
  whatsapp: behindOneFace(whatsapp),
} as const
