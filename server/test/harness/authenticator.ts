/** A passkey in software: makes a key pair and signs, as a browser and its device do together. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const url64 = (data: Buffer | string) => Buffer.from(data).toString('base64url')

/** The part of CBOR that an attestation needs. */
const cborBytes = (bytes: Buffer) =>
  bytes.length < 256
    ? Buffer.concat([Buffer.from([0x58, bytes.length]), bytes])
    : Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]), bytes])
const cborText = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
const cborInteger = (value: number) => Buffer.from([value >= 0 ? value : 0x20 - 1 - value])
const cborMap = (pairs: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([Buffer.from([0xa0 + pairs.length]), ...pairs.flat()])

interface Circumstances {
  readonly origin?: string
  readonly rpId?: string
  readonly isVerified?: boolean
  readonly userHandle?: string
  readonly counter?: number
}

interface Options {
  readonly challenge: string
}

export class SoftwarePasskey {
  readonly id = randomBytes(32)
  readonly #key: KeyObject
  readonly #point: { readonly x: Buffer; readonly y: Buffer }
  readonly #origin: string
  counter = 0
  userHandle = ''

  constructor(origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#key = privateKey
    this.#point = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') }
    this.#origin = origin
  }

  #clientData(type: string, challenge: string, origin = this.#origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #authenticatorData(
    { rpId = new URL(this.#origin).hostname, isVerified = true, counter = ++this.counter }: Circumstances,
    attested = Buffer.alloc(0),
  ): Buffer {
    const head = Buffer.alloc(5)
    head[0] = 0x01 | (isVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(rpId), head, attested])
  }

  /** What a browser sends to register a passkey. */
  make(options: Options & { readonly user: { readonly id: string } }, circumstances: Circumstances = {}) {
    this.userHandle = options.user.id
    const cose = cborMap([
      [cborInteger(1), cborInteger(2)],
      [cborInteger(3), cborInteger(-7)],
      [cborInteger(-1), cborInteger(1)],
      [cborInteger(-2), cborBytes(this.#point.x)],
      [cborInteger(-3), cborBytes(this.#point.y)],
    ])
    const length = Buffer.from([0, this.id.length])
    const authData = this.#authenticatorData(
      circumstances,
      Buffer.concat([Buffer.alloc(16), length, this.id, cose]),
    )
    const attestationObject = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(authData)],
    ])
    return {
      id: url64(this.id),
      rawId: url64(this.id),
      type: 'public-key',
      response: {
        clientDataJSON: url64(this.#clientData('webauthn.create', options.challenge, circumstances.origin)),
        attestationObject: url64(attestationObject),
        transports: ['internal'],
      },
      clientExtensionResults: {},
    }
  }

  /** What a browser sends to sign in. */
  sign({ challenge }: Options, circumstances: Circumstances = {}) {
    const clientData = this.#clientData('webauthn.get', challenge, circumstances.origin)
    const authData = this.#authenticatorData(circumstances)
    const signature = createSign('sha256')
      .update(Buffer.concat([authData, sha256(clientData)]))
      .sign(this.#key)
    return {
      id: url64(this.id),
      rawId: url64(this.id),
      type: 'public-key',
      response: {
        clientDataJSON: url64(clientData),
        authenticatorData: url64(authData),
        signature: url64(signature),
        userHandle: circumstances.userHandle ?? this.userHandle,
      },
      clientExtensionResults: {},
    }
  }
}
