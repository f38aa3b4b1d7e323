/**
 * Ids in the form that Twilio's clients know: two letters and 32 hexadecimal digits. The part of an id after its prefix
 * is 128 bits, so a SID is the same id in another notation, and no table is needed to convert it back.
 */
import { decodeId, encodeId, type Id, type IdKind } from './ids.ts'

const sidPrefixes = {
  company: 'AC',
  app: 'VA',
  verification: 'VE',
  delivery: 'VL',
} as const satisfies Partial<Record<IdKind, string>>
type SidKind = keyof typeof sidPrefixes

export const sidOf = (kind: SidKind, id: string): string =>
  `${sidPrefixes[kind]}${decodeId(id).toString(16).padStart(32, '0')}`

const shape = /^([A-Z]{2})([0-9a-fA-F]{32})$/

/** Null for text that cannot be a SID of this kind. */
export function parseSid<K extends SidKind>(kind: K, text: string): Id<K> | null {
  const [, prefix, digits] = shape.exec(text) ?? []
  return prefix === sidPrefixes[kind] && digits ? encodeId(kind, BigInt(`0x${digits}`)) : null
}
