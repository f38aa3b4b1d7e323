import type { Pdu } from 'smpp/lib/smpp.js'
import { isRecord } from '../../http/fields.ts'

interface Segment {
  readonly reference: number
  readonly total: number
  readonly number: number
}

export interface ShortMessage {
  readonly text: string
  /** SMPP 3.4 §5.2.19 */
  readonly dataCoding: number
  /** Null if the message came in one piece. */
  readonly segment: Segment | null
}

const CONCATENATED_8_BIT = 0x00
const CONCATENATED_16_BIT = 0x08

export function readShortMessage(pdu: Pdu): ShortMessage {
  const short = readContent(pdu.short_message)
  const content = short.text === '' ? readContent(pdu.message_payload) : short
  const segment = findUdhSegment([...short.udh, ...content.udh]) ?? findSarSegment(pdu)
  const dataCoding = Number(pdu.data_coding ?? 0)
  return { text: content.text, dataCoding, segment: segment !== null && isSegment(segment) ? segment : null }
}

const UCS2 = 0x08
/** Characters that take two septets in GSM 03.38. */
const EXTENDED = /[\f^{}\\[~\]|€]/g

/** How much of a message's 140 octets the text takes, without headers. */
export function sizeOf({ text, dataCoding }: ShortMessage): { encoding: string; octets: number } {
  if (dataCoding === UCS2) return { encoding: 'UCS-2', octets: 2 * text.length }
  const places = text.length + (text.match(EXTENDED)?.length ?? 0)
  return { encoding: 'GSM-7', octets: Math.ceil((places * 7) / 8) }
}

/** An SMS has 140 octets, of which the header that numbers a part takes six. */
const MAX_PART_OCTETS = 134

/** A longer part would not fit into one SMS. A message that came in one piece is split by the carrier. */
export const isPartTooLong = (message: ShortMessage): boolean =>
  message.segment !== null && sizeOf(message).octets > MAX_PART_OCTETS

const SHOWN = [
  'source_addr',
  'source_addr_ton',
  'source_addr_npi',
  'destination_addr',
  'dest_addr_ton',
  'dest_addr_npi',
  'esm_class',
  'protocol_id',
  'priority_flag',
  'registered_delivery',
  'validity_period',
  'data_coding',
] as const

/** The fields of a submit_sm, one a line. */
export const describeSubmission = (pdu: Pdu): string =>
  SHOWN.map((name) => `${name}: ${inWords(pdu[name])}`).join('\n')

/** The library parses times into dates. */
const inWords = (field: unknown) => (field instanceof Date ? field.toISOString() : String(field ?? ''))

function readContent(field: unknown): { text: string; udh: Buffer[] } {
  if (!isRecord(field)) return { text: '', udh: [] }
  const { message, udh } = field
  const text = Buffer.isBuffer(message) ? message.toString('latin1') : String(message ?? '')
  return { text, udh: Array.isArray(udh) ? udh.filter((element) => Buffer.isBuffer(element)) : [] }
}

/** An information element is its identifier, its length, then the data. */
function findUdhSegment(elements: readonly Buffer[]): Segment | null {
  for (const element of elements) {
    if (element[0] === CONCATENATED_8_BIT && element.length >= 5) {
      return { reference: element.readUInt8(2), total: element.readUInt8(3), number: element.readUInt8(4) }
    }
    if (element[0] === CONCATENATED_16_BIT && element.length >= 6) {
      return { reference: element.readUInt16BE(2), total: element.readUInt8(4), number: element.readUInt8(5) }
    }
  }
  return null
}

function findSarSegment(pdu: Pdu): Segment | null {
  const { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: number } = pdu
  const isGiven = typeof reference === 'number' && typeof total === 'number' && typeof number === 'number'
  return isGiven ? { reference, total, number } : null
}

function isSegment(segment: Segment): boolean {
  return segment.total > 1 && segment.number >= 1 && segment.number <= segment.total
}
