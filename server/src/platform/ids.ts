/**
 * Ids: a prefix and 26 characters of Crockford's base32, of which ten are the time in milliseconds and
 * sixteen are 80 random bits. They sort by time, and within a millisecond by the order in which a process made
 * them. The day inside the id names the partition of its row.
 */
import { drawBytes } from './random.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeLength = 10
const randomLength = 16
const randomIdBytes = 10

export const idPrefixes = {
  company: 'cmp',
  app: 'app',
  key: 'key',
  verification: 'otp',
  delivery: 'dlv',
  event: 'evt',
  endpoint: 'end',
  decision: 'dec',
  refusal: 'ref',
  entry: 'led',
  provider: 'prv',
  block: 'blk',
  request: 'req',
  person: 'usr',
  session: 'ses',
  invitation: 'inv',
  audit: 'aud',
  link: 'lnk',
  passkey: 'psk',
  rule: 'rul',
  notice: 'alt',
  exception: 'exc',
  error: 'err',
} as const
export type IdKind = keyof typeof idPrefixes

declare const kind: unique symbol
export type Id<K extends IdKind> = string & { readonly [kind]: K }
export type CompanyId = Id<'company'>
export type AppId = Id<'app'>
export type KeyId = Id<'key'>
export type OtpId = Id<'verification'>
export type EndpointId = Id<'endpoint'>
export type PersonId = Id<'person'>
export type SessionId = Id<'session'>

export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(buffer >>> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(buffer << (5 - bits)) & 31] : text
}

let lastTime = -1
let lastText = ''

/** Remembers the last time as text, because a batch makes many ids in one millisecond. */
function encodeTime(timeMs: number): string {
  const time = Math.floor(timeMs)
  if (time === lastTime) return lastText
  let text = ''
  let rest = time
  for (let position = 0; position < timeLength; position++) {
    text = `${alphabet[rest % 32]}${text}`
    rest = Math.floor(rest / 32)
  }
  lastTime = time
  lastText = text
  return text
}

/** Ten bits as two characters. */
const pairs = Array.from({ length: 1_024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`)
const pairOf = (bits: number) => pairs[bits & 1_023] ?? ''
const idsDrawn = 400

let drawn: Uint8Array = new Uint8Array()
let given = 0

/** Eighty random bits. An id is no secret, so the drawn bytes need not be wiped after use. */
function drawRandom(): Uint8Array {
  if (given === drawn.length) {
    drawn = drawBytes(idsDrawn * randomIdBytes)
    given = 0
  }
  given += randomIdBytes
  return drawn.subarray(given - randomIdBytes, given)
}

/** How many of the random bytes differ between an id and the one before it in the same millisecond. */
const stepBytes = 6

/** `before` plus a random step, so that the next id is still hard to guess. Null on overflow. */
function stepFrom(before: Uint8Array, step: Uint8Array): Uint8Array | null {
  const next = new Uint8Array(randomIdBytes)
  let carry = 1
  for (let index = randomIdBytes - 1; index >= 0; index--) {
    const sum = (before[index] ?? 0) + carry + (index < randomIdBytes - stepBytes ? 0 : (step[index] ?? 0))
    next[index] = sum
    carry = sum >> 8
  }
  return carry === 0 ? next : null
}

const encodeRandom = (bytes: Uint8Array) => encodeFive(bytes, 0) + encodeFive(bytes, 5)

/** Five bytes as eight characters. */
function encodeFive(bytes: Uint8Array, start: number): string {
  const a = bytes[start] ?? 0
  const b = bytes[start + 1] ?? 0
  const c = bytes[start + 2] ?? 0
  const d = bytes[start + 3] ?? 0
  const e = bytes[start + 4] ?? 0
  return (
    pairOf((a << 2) | (b >> 6)) +
    pairOf((b << 4) | (c >> 4)) +
    pairOf((c << 6) | (d >> 2)) +
    pairOf((d << 8) | e)
  )
}

const lastMade = new Map<IdKind, { readonly time: number; readonly random: Uint8Array }>()

/** Ids that one process makes within a millisecond sort in the order in which it made them. */
export function newId<K extends IdKind>(idKind: K, timeMs: number): Id<K> {
  const time = Math.floor(timeMs)
  const last = lastMade.get(idKind)
  const fresh = drawRandom()
  const random = (last?.time === time ? stepFrom(last.random, fresh) : null) ?? fresh
  lastMade.set(idKind, { time, random })
  return `${idPrefixes[idKind]}_${encodeTime(time)}${encodeRandom(random)}` as Id<K>
}

/** The smallest id of that time, as a bound of a partition or of a search. */
export function lowestId(idKind: IdKind, timeMs: number): string {
  return `${idPrefixes[idKind]}_${encodeTime(timeMs)}${'0'.repeat(randomLength)}`
}

/** Above every id that will ever be made: where a list that starts with the newest begins. */
export const aboveAllIds = (idKind: IdKind): string => lowestId(idKind, Date.UTC(9999, 0))

export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1
  let time = 0
  for (let index = start; index < Math.min(start + timeLength, id.length); index++) {
    time = time * 32 + alphabet.indexOf(id.charAt(index))
  }
  return time
}

/** A time after that of the id, even if this node's clock is a little behind. */
export const laterThan = (id: string, nowMs: number): number => Math.max(nowMs, timeOfId(id) + 1)

/** The 128 bits of an id, without its prefix. */
export function decodeId(id: string): bigint {
  let bits = 0n
  for (const character of id.slice(id.indexOf('_') + 1)) {
    bits = bits * 32n + BigInt(alphabet.indexOf(character))
  }
  return bits
}

export function encodeId<K extends IdKind>(idKind: K, bits: bigint): Id<K> {
  let text = ''
  for (let rest = bits; text.length < timeLength + randomLength; rest /= 32n) {
    text = `${alphabet[Number(rest % 32n)]}${text}`
  }
  return `${idPrefixes[idKind]}_${text}` as Id<K>
}

const hourMs = 3_600_000

/** Whatever belongs to a verification was made within two days of it. These bounds leave few partitions to search. */
export const boundsNear = (idKind: IdKind, otpId: OtpId): readonly [string, string] => [
  lowestId(idKind, timeOfId(otpId) - hourMs),
  lowestId(idKind, timeOfId(otpId) + 48 * hourMs),
]

const shape = /^([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Null for text that cannot be an id of this kind, so that it is "not found" without asking the database. */
export function parseId<K extends IdKind>(idKind: K, text: string): Id<K> | null {
  return shape.exec(text)?.[1] === idPrefixes[idKind] ? (text as Id<K>) : null
}
