import type { TestContext } from 'node:test'
import smpp, { type Pdu, type Session } from 'smpp/lib/smpp.js'

export interface Client {
  readonly session: Session
  readonly receipts: Pdu[]
  readonly closed: Promise<void>
  bind(kind?: 'bind_transceiver' | 'bind_transmitter', fields?: Record<string, unknown>): Promise<Pdu>
  submit(fields: Record<string, unknown>): Promise<Pdu>
}

/** The service's side of SMPP: it answers every receipt. */
export function connect(context: TestContext, port: number): Client {
  const session = smpp.connect({ host: '127.0.0.1', port })
  const receipts: Pdu[] = []
  session.on('error', () => {})
  session.on('deliver_sm', (pdu: Pdu) => {
    receipts.push(pdu)
    session.send(pdu.response())
  })
  const closed = new Promise<void>((resolve) => session.on('close', () => resolve()))
  context.after(() => session.destroy())
  return {
    session,
    receipts,
    closed,
    bind(kind = 'bind_transceiver', fields = {}) {
      const credentials = { system_id: 'service', password: 'secret', interface_version: 0x34, ...fields }
      return new Promise((resolve) => session[kind](credentials, resolve))
    },
    submit(fields) {
      const usual = {
        source_addr: 'ACME',
        source_addr_ton: 5,
        dest_addr_ton: 1,
        dest_addr_npi: 1,
        destination_addr: '14155550123',
        registered_delivery: 1,
      }
      return new Promise((resolve) => session.submit_sm({ ...usual, ...fields }, resolve))
    },
  }
}

export function receiptText(pdu: Pdu): string {
  const { short_message: content } = pdu
  const hasText = typeof content === 'object' && content !== null && 'message' in content
  return hasText ? String(content.message) : ''
}
