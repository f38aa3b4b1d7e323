import type { KeyKind } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type KeyId, newId, parseId } from '../../platform/ids.ts'
import { raiseRevision } from '../../platform/remember.ts'
import { noSuch, type Page, type PageRequest, parseCursor, readPage } from '../answers/index.ts'
import * as appStore from './app-store.ts'
import { limitReached, liveKeysOfApp } from './bounds.ts'
import * as keyStore from './key-store.ts'
import { makeKeyText, parseKeyText, shownOf } from './key-text.ts'
import type { AppRef, Key } from './tenancy.ts'

export async function createKey(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { companyId, appId }: AppRef,
  { kind, name }: { readonly kind: KeyKind; readonly name: string | null },
): Promise<{ keyId: KeyId; text: string }> {
  const text = makeKeyText(kind, appId)
  const hash = parseKeyText(text)?.hash
  if (!hash) throw new Error('a new key has the wrong shape')
  const keyId = newId('key', clock.nowMs())
  const isMade = await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    if (!(await appStore.lockApp(tenant, appId))) throw noSuch('app')
    return keyStore.insertKey(
      tenant,
      { appId, keyId, kind, name, hash, shown: shownOf(text) },
      liveKeysOfApp.most,
    )
  })
  if (!isMade) throw limitReached(liveKeysOfApp)
  return { keyId, text }
}

export async function listKeys(
  { database }: { readonly database: Database },
  { companyId, appId }: AppRef,
  { cursor, limit, isLive }: PageRequest & Pick<keyStore.KeyFilter, 'isLive'>,
): Promise<Page<Key>> {
  const tenant = database.of(companyId)
  if (!(await appStore.findApp(tenant, appId))) throw noSuch('app')
  const after = parseCursor(cursor, (text) => parseId('key', text))
  return readPage(
    limit,
    (limit) => keyStore.listKeys(tenant, appId, { after, limit, isLive }),
    ({ keyId }) => keyId,
  )
}

/** Returns since when the key is revoked. */
export async function revokeKey(
  { database }: { readonly database: Database },
  { companyId, appId }: AppRef,
  keyId: KeyId,
): Promise<Date> {
  const revokedAt = await database.transaction(async (transaction) => {
    await raiseRevision(transaction)
    return keyStore.revokeKey(transaction.of(companyId), appId, keyId)
  })
  if (!revokedAt) throw noSuch('key')
  return revokedAt
}
