/** The bodies of the few SMPP 3.4 packets that an account writes and reads (§4.1 to §4.6). */
import type { SmppAddress } from './address.ts'
import type { Segment } from './segments.ts'
import type { SmppSettings } from './settings.ts'

const INTERFACE_VERSION = 0x34
const REGISTERED_DELIVERY_FINAL = 1

export const TLV = {
  receiptedMessageId: 0x001e,
  networkErrorCode: 0x0423,
  messagePayload: 0x0424,
  messageState: 0x0427,
}

export interface DeliverSm {
  readonly esmClass: number
  readonly dataCoding: number
  readonly message: Buffer
  readonly tlvs: ReadonlyMap<number, Buffer>
}

export function bindBody(settings: Pick<SmppSettings, 'system_id' | 'password' | 'system_type'>): Buffer {
  return Buffer.concat([
    cString(settings.system_id),
    cString(settings.password),
    cString(settings.system_type),
    Buffer.from([INTERFACE_VERSION, 0, 0]),
    cString(''),
  ])
}

export function submitBody(
  source: SmppAddress,
  destination: SmppAddress,
  segment: Segment,
  validitySeconds: number,
): Buffer {
  return Buffer.concat([
    cString(''),
    Buffer.from([source.ton, source.npi]),
    cString(source.address),
    Buffer.from([destination.ton, destination.npi]),
    cString(destination.address),
    Buffer.from([segment.esmClass, 0, 0]),
    cString(''),
    cString(relativeTime(validitySeconds)),
    Buffer.from([REGISTERED_DELIVERY_FINAL, 0, segment.dataCoding, 0, segment.shortMessage.length]),
    segment.shortMessage,
  ])
}

/** The relative format of §7.1.1, `YYMMDDhhmmsstnnp`; no code is valid for longer than days. */
export function relativeTime(seconds: number): string {
  const whole = Math.max(Math.floor(seconds), 1)
  const fields = [
    Math.min(Math.floor(whole / 86_400), 28),
    Math.floor(whole / 3_600) % 24,
    Math.floor(whole / 60) % 60,
  ]
  return `0000${[...fields, whole % 60].map((field) => String(field).padStart(2, '0')).join('')}000R`
}

export function readMessageId(body: Buffer): string {
  return readCString(body, 0).text
}

/** Throws for a body that ends too early. */
export function readDeliverSm(body: Buffer): DeliverSm {
  let offset = readCString(body, 0).next
  offset = readCString(body, offset + 2).next
  offset = readCString(body, offset + 2).next
  const esmClass = body.readUInt8(offset)
  offset = readCString(body, offset + 3).next
  offset = readCString(body, offset).next
  const dataCoding = body.readUInt8(offset + 2)
  const length = body.readUInt8(offset + 4)
  offset += 5
  const tlvs = readTlvs(body.subarray(offset + length))
  const shortMessage = body.subarray(offset, offset + length)
  const message = shortMessage.length > 0 ? shortMessage : (tlvs.get(TLV.messagePayload) ?? shortMessage)
  return { esmClass, dataCoding, message, tlvs }
}

function readTlvs(bytes: Buffer): Map<number, Buffer> {
  const tlvs = new Map<number, Buffer>()
  let offset = 0
  while (offset + 4 <= bytes.length) {
    const length = bytes.readUInt16BE(offset + 2)
    tlvs.set(bytes.readUInt16BE(offset), bytes.subarray(offset + 4, offset + 4 + length))
    offset += 4 + length
  }
  return tlvs
}

function cString(text: string): Buffer {
  return Buffer.from(`${text.replaceAll('\0', '')}\0`, 'latin1')
}

function readCString(bytes: Buffer, offset: number): { text: string; next: number } {
  const end = bytes.indexOf(0, offset)
  if (end === -1) return { text: bytes.toString('latin1', offset), next: bytes.length }
  return { text: bytes.toString('latin1', offset, end), next: end + 1 }
}
