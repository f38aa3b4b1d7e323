/** HMAC-SHA256 over `{timestamp}.{body}`, in hex, keyed with the whole secret, its prefix included. */

const algorithm = { name: 'HMAC', hash: 'SHA-256' } as const
const signatureBytes = 32

const utf8 = new TextEncoder()

export async function sign(secret: string, timestamp: string, body: Uint8Array): Promise<string> {
  const key = await importKey(secret, 'sign')
  return toHex(new Uint8Array(await crypto.subtle.sign(algorithm, key, signedBytes(timestamp, body))))
}

/** Compared by Web Crypto, in constant time. */
export async function isSignedWith(
  secret: string,
  signature: string,
  timestamp: string,
  body: Uint8Array,
): Promise<boolean> {
  const bytes = fromHex(signature)
  if (bytes === undefined) return false
  const key = await importKey(secret, 'verify')
  return crypto.subtle.verify(algorithm, key, bytes, signedBytes(timestamp, body))
}

const importKey = (secret: string, usage: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, [usage])

function signedBytes(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = utf8.encode(`${timestamp}.`)
  const bytes = new Uint8Array(head.length + body.length)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]+$/i.test(text) || text.length !== signatureBytes * 2) return undefined
  return Uint8Array.from({ length: signatureBytes }, (_, index) =>
    Number.parseInt(text.slice(index * 2, index * 2 + 2), 16),
  )
}
