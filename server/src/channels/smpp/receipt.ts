/** Delivery receipts: deliver_sm packets that report on a message of ours (SMPP 3.4 §5.2.12 and appendix B). */
import type { ProviderError } from '../channel.ts'
import { providerError } from '../provider-error.ts'
import { type DeliverSm, TLV } from './bodies.ts'

export interface ReceiptReport {
  /** The carrier's id of the message, as the carrier wrote it. */
  readonly rawId: string
  /** Whether the id is from the field receipted_message_id, which should equal the id of the response. */
  readonly isExactId: boolean
  readonly status: 'delivered' | 'failed'
  readonly error: ProviderError | null
}

const MESSAGE_TYPE_BITS = 0x3c
const DELIVERY_RECEIPT = 0x04
const UDH_BIT = 0x40
const UCS2 = 0x08

// 1 ENROUTE, 6 ACCEPTD and 7 UNKNOWN are not final.
const FINAL_STATES: ReadonlyMap<number, string> = new Map([
  [2, 'DELIVRD'],
  [3, 'EXPIRED'],
  [4, 'DELETED'],
  [5, 'UNDELIV'],
  [8, 'REJECTD'],
])
const FAILURES: Readonly<Record<string, string>> = {
  EXPIRED: 'The message expired before it could be delivered.',
  DELETED: 'The carrier deleted the message.',
  UNDELIV: 'The carrier could not deliver the message.',
  REJECTD: 'The carrier rejected the message.',
}

/** Null for messages from people, for states that are not final, and for a receipt without an id. */
export function readReceipt(deliver: DeliverSm): ReceiptReport | null {
  if ((deliver.esmClass & MESSAGE_TYPE_BITS) !== DELIVERY_RECEIPT) return null
  const text = receiptText(deliver)
  const exactId = terminatedText(deliver.tlvs.get(TLV.receiptedMessageId))
  const rawId = exactId || field(text, 'id')
  const state = stateOf(deliver, text)
  if (rawId === '' || state === null) return null
  const names = { rawId, isExactId: exactId !== '' }
  if (state === 'DELIVRD') return { ...names, status: 'delivered', error: null }
  const detail = field(text, 'err') || networkError(deliver)
  const message = `${FAILURES[state] ?? 'Not delivered.'}${detail === '' ? '' : ` Network error ${detail}.`}`
  return { ...names, status: 'failed', error: providerError(state, message) }
}

function stateOf(deliver: DeliverSm, text: string): string | null {
  const reported = deliver.tlvs.get(TLV.messageState)?.[0]
  if (reported !== undefined) return FINAL_STATES.get(reported) ?? null
  const state = field(text, 'stat').toUpperCase()
  return state === 'DELIVRD' || state in FAILURES ? state : null
}

function receiptText(deliver: DeliverSm): string {
  const hasHeader = (deliver.esmClass & UDH_BIT) !== 0 && deliver.message.length > 0
  const bytes = hasHeader ? deliver.message.subarray((deliver.message[0] ?? 0) + 1) : deliver.message
  const text = deliver.dataCoding === UCS2 ? decodeUcs2(bytes) : bytes.toString('latin1')
  // After `text:` the message is quoted, which may contain anything.
  return text.split(/\btext:/i, 1)[0] ?? ''
}

function decodeUcs2(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
    .swap16()
    .toString('utf16le')
}

const FIELDS = {
  id: /(?:^|\s)id:\s*(\S+)/i,
  stat: /(?:^|\s)stat:\s*(\S+)/i,
  err: /(?:^|\s)err:\s*(\S+)/i,
}

function field(text: string, name: keyof typeof FIELDS): string {
  return FIELDS[name].exec(text)?.[1] ?? ''
}

function networkError(deliver: DeliverSm): string {
  const bytes = deliver.tlvs.get(TLV.networkErrorCode)
  return bytes?.length === 3 ? String(bytes.readUInt16BE(1)) : ''
}

// Some carriers leave out the closing NUL.
function terminatedText(bytes: Buffer | undefined): string {
  return bytes?.toString('latin1').split('\0', 1)[0]?.trim() ?? ''
}
