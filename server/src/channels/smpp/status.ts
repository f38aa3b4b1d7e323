/** What a carrier's command_status means for a message (SMPP 3.4 §5.1.3). */
import type { SendOutcome } from '../channel.ts'
import { providerError } from '../provider-error.ts'

export type SubmitFailure = Exclude<SendOutcome, { kind: 'accepted' }>

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x01, 'message length is invalid'],
  [0x04, 'not bound'],
  [0x08, 'system error'],
  [0x0a, 'invalid source address'],
  [0x0b, 'invalid destination address'],
  [0x0d, 'bind failed'],
  [0x0e, 'invalid password'],
  [0x0f, 'invalid system id'],
  [0x14, 'message queue full'],
  [0x45, 'submit failed'],
  [0x58, 'throttled'],
  [0x61, 'invalid scheduled time'],
  [0x62, 'invalid validity period'],
  [0x64, 'temporary application error'],
  [0xfe, 'delivery failure'],
])
const CREDENTIALS = new Set([0x0e, 0x0f])
const THROTTLING = new Set([0x14, 0x58])
/** 0x0d only says that a bind failed: the carrier may still count an earlier session of ours that died. */
const TRANSIENT = new Set([0x04, 0x08, 0x0d, 0x64])
const INVALID_DESTINATION = 0x0b

export function isThrottling(status: number): boolean {
  return THROTTLING.has(status)
}

export function isCredentialFailure(status: number): boolean {
  return CREDENTIALS.has(status)
}

export function statusError(status: number) {
  const code = `0x${status.toString(16).padStart(8, '0')}`
  return providerError(code, `The carrier answered: ${NAMES.get(status) ?? 'refused'}.`)
}

export function submitFailure(status: number, afterSeconds: number | null): SubmitFailure {
  const error = statusError(status)
  if (isThrottling(status)) return { kind: 'retry', error, afterSeconds }
  if (TRANSIENT.has(status)) return { kind: 'retry', error, afterSeconds: null }
  if (status === INVALID_DESTINATION) return { kind: 'unreachable', error }
  if (isCredentialFailure(status)) return { kind: 'broken', error }
  return { kind: 'refused', error }
}
