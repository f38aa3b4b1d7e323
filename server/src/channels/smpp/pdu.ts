/** SMPP 3.4 packets on the wire: a header of four 32-bit numbers, then a body. */

export const COMMAND = {
  submitSm: 0x04,
  deliverSm: 0x05,
  unbind: 0x06,
  bindTransceiver: 0x09,
  enquireLink: 0x15,
  genericNack: 0x8000_0000,
} as const

const RESPONSE_BIT = 0x8000_0000
const HEADER_BYTES = 16
/** Far above any packet of ours or any receipt: a longer one comes from a broken or hostile peer. */
const MAX_PDU_BYTES = 64 * 1024

export interface Pdu {
  readonly commandId: number
  readonly status: number
  readonly sequence: number
  readonly body: Buffer
}

export function isResponse(pdu: Pdu): boolean {
  return pdu.commandId >= RESPONSE_BIT
}

export function responseId(commandId: number): number {
  return commandId + RESPONSE_BIT
}

export function encodePdu(pdu: Pdu): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(HEADER_BYTES + pdu.body.length, 0)
  header.writeUInt32BE(pdu.commandId, 4)
  header.writeUInt32BE(pdu.status, 8)
  header.writeUInt32BE(pdu.sequence, 12)
  return Buffer.concat([header, pdu.body])
}

/** Splits a stream of bytes into packets. */
export class PduReader {
  #buffered: Buffer = Buffer.alloc(0)

  /** Throws if the stream is not SMPP; nothing after that can be read. */
  push(chunk: Buffer): Pdu[] {
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    const pdus: Pdu[] = []
    while (this.#buffered.length >= HEADER_BYTES) {
      const length = this.#buffered.readUInt32BE(0)
      if (length < HEADER_BYTES || length > MAX_PDU_BYTES) throw new RangeError('impossible command_length')
      if (this.#buffered.length < length) break
      pdus.push({
        commandId: this.#buffered.readUInt32BE(4),
        status: this.#buffered.readUInt32BE(8),
        sequence: this.#buffered.readUInt32BE(12),
        body: this.#buffered.subarray(HEADER_BYTES, length),
      })
      this.#buffered = this.#buffered.subarray(length)
    }
    return pdus
  }
}
