import { createHash, createHmac } from 'node:crypto'

/** The value of X-Request-Signature. Its key is the hash of the token, not the token itself. */
export function signCallback(token: string, timestamp: string, body: string): string {
  const key = createHash('sha256').update(token).digest()
  return createHmac('sha256', key).update(`${timestamp}\n${body}`).digest('hex')
}
