/**
 * A return path for every message (VERP): the address that a bounce is sent to names its delivery, and a tag proves
 * that we made the address.
 */
import { createHmac } from 'node:crypto'
import { equalsInConstantTime } from '../constant-time.ts'

export interface ReturnPathKey {
  readonly domain: string
  readonly secret: string
}

// A local part has 64 bytes: seven for `bounce+`, one for `=`, and a delivery id of up to 36.
const TAG_LENGTH = 20
const RETURN_PATH = /^bounce\+([^=@\s]{1,36})=([0-9a-f]{20})@([^@\s]+)$/

export function returnPath(deliveryId: string, key: ReturnPathKey): string {
  return `bounce+${deliveryId}=${tag(deliveryId, key.secret)}@${key.domain}`
}

/** The delivery that a return path belongs to, whatever the case; null for an address that we never gave out. */
export function verifyReturnPath(address: string, key: ReturnPathKey): string | null {
  // Ids and tags have no capitals, and some servers write whole addresses in them.
  const [, deliveryId, claimed, domain] = RETURN_PATH.exec(address.toLowerCase()) ?? []
  if (deliveryId === undefined || claimed === undefined) return null
  if (domain !== key.domain.toLowerCase()) return null
  return equalsInConstantTime(tag(deliveryId, key.secret), claimed) ? deliveryId : null
}

function tag(deliveryId: string, secret: string): string {
  return createHmac('sha256', secret).update(`return-path\n${deliveryId}`).digest('hex').slice(0, TAG_LENGTH)
}
