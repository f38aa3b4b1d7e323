/** Remembers keys and apps: every request needs them, and they rarely change. */
import type { AccountChoice } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { type AppId, parseId } from '../../platform/ids.ts'
import type { ChangeWatch } from '../../platform/remember.ts'
import * as appStore from './app-store.ts'
import * as keyStore from './key-store.ts'
import { keyNameOf } from './key-text.ts'
import { type AppInForce, inForce, type Principal } from './tenancy.ts'

const maxRemembered = 20_000

export interface Directory {
  /** Undefined for a text that is no key, or for a key that is unknown or revoked: the caller cannot tell which. */
  readonly findPrincipal: (
    keyText: string,
    /** Called with the caller that the key identifies, even if the key is revoked. */
    onKnown?: (principal: Principal) => void,
    /** False if this use of the key was counted before. */
    isCounted?: boolean,
  ) => Promise<Principal | undefined>
  /** The caller that the key identified when this node last looked, without a query: never to permit anything by it. */
  readonly recallPrincipal: (keyText: string) => Principal | undefined
  /** Finds an app whose company is not known yet. */
  readonly findApp: (appId: AppId) => Promise<AppInForce | undefined>
}

export function createDirectory(
  database: Database,
  watch: ChangeWatch,
  onUse: (principal: Principal) => void,
  routingAccounts: AccountChoice,
): Directory {
  const findKey = watch.remember(async (name) => {
    const [appId = '', hash = ''] = name.split(' ')
    const known = parseId('app', appId)
    const found = known && (await keyStore.findKey(database, known, Buffer.from(hash, 'base64')))
    if (!found) return undefined
    const app = inForce(found.principal.app, routingAccounts)
    return { ...found, principal: { ...found.principal, app } }
  }, maxRemembered)
  return {
    findPrincipal: async (keyText, onKnown, isCounted = true) => {
      const name = keyNameOf(keyText)
      const found = name === null ? undefined : await findKey(name)
      if (!found) return undefined
      onKnown?.(found.principal)
      if (found.isRevoked) return undefined
      if (isCounted) onUse(found.principal)
      return found.principal
    },
    recallPrincipal: (keyText) => {
      const name = keyNameOf(keyText)
      const found = name === null ? undefined : findKey.recall(name)
      return found?.isRevoked ? undefined : found?.principal
    },
    findApp: watch.remember(async (text) => {
      const appId = parseId('app', text)
      const app = appId && (await appStore.findAppById(database, appId))
      return app ? inForce(app, routingAccounts) : undefined
    }, maxRemembered),
  }
}
