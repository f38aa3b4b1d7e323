/** The text of a key contains its app, so that it is found by app and hash; 200 bits of it are the secret. */
import { hash, randomBytes } from 'node:crypto'
import type { KeyKind } from '@countersign/contract'
import { type AppId, encodeBase32, parseId } from '../../platform/ids.ts'
import { sha256 } from '../../platform/keyring.ts'

const prefixes = { server: 'otp_sk_', publishable: 'otp_pk_' } as const
const shape = /^otp_(?:sk|pk)_([0-9a-z]{26})([0-9a-z]{40})$/

export function makeKeyText(kind: KeyKind, appId: AppId): string {
  return `${prefixes[kind]}${appId.slice('app_'.length)}${encodeBase32(randomBytes(25))}`
}

const shownFirst = 'otp_sk_'.length + 4
const shownLast = 4

/** What people may see of a key, to recognise it: 180 bits of the secret stay hidden. */
export const shownOf = (text: string) => ({
  first: text.slice(0, shownFirst),
  last: text.slice(-shownLast),
})

export function parseKeyText(text: string): { appId: AppId; hash: Buffer } | null {
  const appId = parseId('app', `app_${shape.exec(text)?.[1] ?? ''}`)
  return appId && { appId, hash: sha256(text) }
}

/** The app and the hash, by which a key is remembered, so that its text does not stay in memory. */
export function keyNameOf(text: string): string | null {
  const app = shape.exec(text)?.[1]
  return app === undefined ? null : `app_${app} ${hash('sha256', text, 'base64')}`
}
