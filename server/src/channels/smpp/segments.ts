import { encodeGsm7, splitText } from './gsm7.ts'

/** The part of a text that one submit_sm carries. */
export interface Segment {
  readonly esmClass: number
  readonly dataCoding: number
  readonly shortMessage: Buffer
}

// SMPP 3.4 §5.2.12: bit 6 says that the message starts with a user data header.
const ESM_CLASS_UDH = 0x40
const DATA_CODING = { gsm7: 0x00, ucs2: 0x08 } as const
/** The total and the number of a part have one byte each in the header. */
const MAX_SEGMENTS = 255

/** `reference` (one byte) tells the parts of one message from those of the next. Null for a text too long for SMS. */
export function segmentText(text: string, reference: number): Segment[] | null {
  const { encoding, parts } = splitText(text)
  const dataCoding = DATA_CODING[encoding]
  const encode = (part: string): Buffer =>
    encoding === 'gsm7' ? encodeGsm7(part) : Buffer.from(part, 'utf16le').swap16()
  if (parts.length === 1) return [{ esmClass: 0, dataCoding, shortMessage: encode(text) }]
  if (parts.length > MAX_SEGMENTS) return null
  return parts.map((part, index) => ({
    esmClass: ESM_CLASS_UDH,
    dataCoding,
    shortMessage: Buffer.concat([concatenationHeader(reference, parts.length, index + 1), encode(part)]),
  }))
}

// 3GPP TS 23.040 §9.2.3.24.1: length, element 0 of three bytes, reference, total, number.
function concatenationHeader(reference: number, total: number, number: number): Buffer {
  return Buffer.from([5, 0, 3, reference & 0xff, total, number])
}
