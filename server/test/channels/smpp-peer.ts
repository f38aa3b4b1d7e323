/** A carrier built on the npm package `smpp`, which shares no code with the account under test. */
import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { Server, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { listen } from './support.ts'

export interface PeerPdu {
  readonly command: string
  readonly sequence_number: number
  readonly system_id: string
  readonly password: string
  readonly source_addr_ton: number
  readonly source_addr_npi: number
  readonly source_addr: string
  readonly destination_addr: string
  readonly esm_class: number
  readonly data_coding: number
  readonly registered_delivery: number
  readonly short_message: { readonly message: string; readonly udh?: readonly Buffer[] }
  readonly command_status: number
  response: (fields?: object) => PeerPdu
}

interface PeerSession extends EventEmitter {
  readonly socket: Socket
  send: (pdu: PeerPdu, onResponse?: (response: PeerPdu) => void) => boolean
  deliver_sm: (fields: object, onResponse?: (response: PeerPdu) => void) => boolean
  enquire_link: (onResponse: (response: PeerPdu) => void) => boolean
  unbind: (onResponse: (response: PeerPdu) => void) => boolean
}

interface SmppLibrary {
  createServer: (options: object, listener: (session: PeerSession) => void) => Server
}

const library: SmppLibrary = createRequire(import.meta.url)('smpp')

export interface SmppPeer {
  readonly port: number
  readonly sessions: PeerSession[]
  readonly binds: PeerPdu[]
  readonly submits: PeerPdu[]
  readonly unbinds: PeerPdu[]
  bindStatus: number
  enquiries: number
  /** Called when the answer to a bind is written. */
  onBound: () => void
  onEnquire: (pdu: PeerPdu, session: PeerSession) => void
  onSubmit: (pdu: PeerPdu, session: PeerSession) => void
}

export async function startSmppPeer(test: TestContext, options: object = {}): Promise<SmppPeer> {
  const sessions: PeerSession[] = []
  const server = library.createServer(options, (session) => {
    sessions.push(session)
    session.on('error', () => {})
    session.on('bind_transceiver', (pdu: PeerPdu) => {
      peer.binds.push(pdu)
      session.send(pdu.response({ command_status: peer.bindStatus, system_id: 'SMSC' }))
      peer.onBound()
    })
    session.on('enquire_link', (pdu: PeerPdu) => {
      peer.enquiries++
      peer.onEnquire(pdu, session)
    })
    session.on('unbind', (pdu: PeerPdu) => {
      peer.unbinds.push(pdu)
      session.send(pdu.response())
    })
    session.on('submit_sm', (pdu: PeerPdu) => {
      peer.submits.push(pdu)
      peer.onSubmit(pdu, session)
    })
  })
  const port = await listen(test, server)
  const peer: SmppPeer = {
    port,
    sessions,
    binds: [],
    submits: [],
    unbinds: [],
    bindStatus: 0,
    enquiries: 0,
    onBound: () => {},
    onEnquire: (pdu, session) => session.send(pdu.response()),
    onSubmit: (pdu, session) => session.send(pdu.response({ message_id: String(peer.submits.length) })),
  }
  return peer
}

/** The text of a delivery receipt as most carriers write it. */
export function receiptText(id: string, state: string, error = '000'): string {
  return `id:${id} sub:001 dlvrd:001 submit date:2501010000 done date:2501010001 stat:${state} err:${error} text:Your code`
}
