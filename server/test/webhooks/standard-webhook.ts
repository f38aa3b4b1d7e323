/** Verifies as the Standard Webhooks specification says, with the interface of its reference library. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const toleranceSeconds = 300

export class Webhook {
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  }

  verify(payload: string, headers: Record<string, string>): unknown {
    const id = headers['webhook-id']
    const timestamp = headers['webhook-timestamp']
    const signatures = headers['webhook-signature']
    if (!id || !timestamp || !signatures) throw new Error('Missing required headers')
    const ageSeconds = Date.now() / 1000 - Number(timestamp)
    if (!(Math.abs(ageSeconds) <= toleranceSeconds)) throw new Error('Message timestamp out of tolerance')
    const expected = createHmac('sha256', this.#key).update(`${id}.${timestamp}.${payload}`).digest()
    const isSigned = signatures.split(' ').some((signature) => {
      const [version, value = ''] = signature.split(',')
      const given = Buffer.from(value, 'base64')
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
    })
    if (!isSigned) throw new Error('No matching signature found')
    return JSON.parse(payload)
  }
}
