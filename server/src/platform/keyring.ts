/**
 * Every secret that the service derives or encrypts with.
 *
 * Data keys live in the database, wrapped by the master key. Each has an id, and whatever it sealed or derived names
 * that id, so a new key can take over while pending codes stay valid. The master key only wraps data keys, so changing
 * it touches a few rows. Lookups use a keyed hash whose key always comes from data key 1.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { encodeBase32 } from './ids.ts'
import { drawBytes } from './random.ts'

export interface DataKey {
  readonly id: number
  readonly secret: Buffer
  readonly activeFromMs: number
}

const purposes = ['seal', 'code', 'mac', 'link', 'token', 'lookup', 'audit'] as const
type Purpose = (typeof purposes)[number]
/** Key objects, because Node would parse raw bytes again for each use. */
type Subkeys = Readonly<Record<Purpose, KeyObject>>

const ivBytes = 12
const tagBytes = 16

function deriveSubkeys(secret: Buffer): Subkeys {
  const derive = (purpose: Purpose) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `countersign ${purpose}`, 32)))
  return Object.fromEntries(purposes.map((purpose) => [purpose, derive(purpose)])) as Record<
    Purpose,
    KeyObject
  >
}

export function encrypt(key: Buffer | KeyObject, plain: Buffer, context: string): Buffer {
  const iv = drawBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

export function decrypt(key: Buffer | KeyObject, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()])
}

const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest()

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Uniform over the whole range: a draw beyond the last full multiple of 10^length is drawn again. */
function digitsFrom(key: KeyObject, label: string, length: number): string {
  const range = 10n ** BigInt(length)
  const limit = (2n ** 64n / range) * range
  for (let round = 0; ; round++) {
    const draw = hmac(key, `${label}:${round}`).readBigUInt64BE()
    if (draw < limit) return String(draw % range).padStart(length, '0')
  }
}

export class Keyring {
  readonly #keys = new Map<number, Subkeys>()
  readonly #order: readonly DataKey[]
  readonly #lookup: KeyObject

  /** `dataKeys` must have at least one key, the newest last. */
  constructor(dataKeys: readonly DataKey[]) {
    this.#order = dataKeys
    for (const { id, secret } of dataKeys) this.#keys.set(id, deriveSubkeys(secret))
    this.#lookup = this.#subkeys(1).lookup
  }

  #subkeys(id: number): Subkeys {
    const found = this.#keys.get(id)
    if (!found) throw new Error(`data key ${id} is not loaded`)
    return found
  }

  /** The newest key that every node has had time to load. */
  current(nowMs: number): number {
    return this.#order.findLast((key) => key.activeFromMs <= nowMs)?.id ?? 1
  }

  ids(): number[] {
    return this.#order.map((key) => key.id)
  }

  has(id: number): boolean {
    return this.#keys.has(id)
  }

  lookupHash(domain: string, text: string): Buffer {
    return hmac(this.#lookup, `${domain}:${text}`).subarray(0, 16)
  }

  /** A keyed hash over an entry of the audit trail: whoever has only the database cannot make one. */
  auditMac(dataKey: number, text: string): Buffer {
    return hmac(this.#subkeys(dataKey).audit, text)
  }

  seal(dataKey: number, plain: string, context: string): Buffer {
    const head = Buffer.alloc(2)
    head.writeUInt16BE(dataKey)
    return Buffer.concat([head, encrypt(this.#subkeys(dataKey).seal, Buffer.from(plain), context)])
  }

  open(sealed: Buffer, context: string): string {
    return decrypt(this.#subkeys(sealed.readUInt16BE()).seal, sealed.subarray(2), context).toString()
  }

  code(dataKey: number, otpId: string, version: number, length: number): string {
    return digitsFrom(this.#subkeys(dataKey).code, `${otpId}:${version}`, length)
  }

  /** The keyed hash of a code that is stored: without the key it says nothing about the digits. */
  codeMac(dataKey: number, otpId: string, code: string): Buffer {
    return hmac(this.#subkeys(dataKey).mac, `${otpId}:${code}`)
  }

  /** The hash under every data key, because only the verification's row knows which one its code was made with. */
  codeMacs(otpId: string, code: string): Buffer[] {
    return this.#order.map((key) => this.codeMac(key.id, otpId, code))
  }

  /** 80 bits for the text of a wa.me link, in groups that a person can read out. */
  linkReference(dataKey: number, otpId: string, version: number): string {
    const text = encodeBase32(hmac(this.#subkeys(dataKey).link, `${otpId}:${version}`).subarray(0, 10))
    return text.toUpperCase().replace(/(.{4})(?=.)/g, '$1-')
  }

  /**
   * Derived, so that a retried verify gets the same token while the database holds only its hash. Always derived from
   * data key 1, because the statement that approves has not read the row.
   */
  token(otpId: string, keyId: string): string {
    return `otp_vt_${encodeBase32(hmac(this.#subkeys(1).token, `${otpId}:${keyId}`))}`
  }
}
