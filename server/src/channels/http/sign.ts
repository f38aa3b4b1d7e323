/** Amazon's Signature Version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { HttpRequest } from '../../platform/http-client.ts'
import type { Gateway } from './settings.ts'

const DEFAULT_REGION = 'us-east-1'
/** A host such as `sns.eu-west-1.amazonaws.com`. */
const HOST = /^([a-z0-9-]{1,40})\.([a-z0-9-]{1,40})\.amazonaws\.com(?:\.cn)?$/

export type Sign = (request: HttpRequest, nowMs: number) => Promise<HttpRequest>

export function signerOf({ user = '', secret = '', base_url = '', region }: Gateway): Sign {
  const [, service = 'sns', ownRegion = DEFAULT_REGION] = HOST.exec(new URL(base_url).hostname) ?? []
  const signer = new SignatureV4({
    service,
    region: region ?? ownRegion,
    credentials: { accessKeyId: user, secretAccessKey: secret },
    sha256: Sha256,
  })
  return async (request, nowMs) => {
    const url = new URL(request.url)
    const unsigned = {
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      method: request.method,
      headers: { ...request.headers, host: url.host },
      ...(request.body === null ? {} : { body: request.body }),
    }
    const { headers } = await signer.sign(unsigned, { signingDate: new Date(nowMs) })
    const { host: _, ...signed } = headers
    return { ...request, headers: signed }
  }
}

/** SHA-256 in the form that the library expects. */
class Sha256 {
  readonly #hash: Hash | Hmac

  constructor(key?: unknown) {
    this.#hash = isKey(key) ? createHmac('sha256', key) : createHash('sha256')
  }

  update(data: Uint8Array): void {
    this.#hash.update(data)
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }

  reset(): void {
    throw new Error('a hash is made anew for every text')
  }
}

const isKey = (key: unknown): key is string | Uint8Array =>
  typeof key === 'string' || key instanceof Uint8Array
