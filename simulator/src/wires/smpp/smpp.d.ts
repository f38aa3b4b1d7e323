declare module 'smpp/lib/smpp.js' {
  import type { EventEmitter } from 'node:events'
  import type { Server as NetServer, Socket } from 'node:net'

  export interface Pdu {
    readonly command: string
    readonly command_id: number
    readonly command_status: number
    readonly sequence_number: number
    readonly [field: string]: unknown
    isResponse(): boolean
    response(fields?: Record<string, unknown>): Pdu
  }

  export interface Session extends EventEmitter {
    readonly socket: Socket
    send(pdu: Pdu, onResponse?: (response: Pdu) => void): boolean
    bind_transceiver(fields: Record<string, unknown>, onResponse?: (response: Pdu) => void): boolean
    bind_transmitter(fields: Record<string, unknown>, onResponse?: (response: Pdu) => void): boolean
    submit_sm(fields: Record<string, unknown>, onResponse?: (response: Pdu) => void): boolean
    deliver_sm(fields: Record<string, unknown>, onResponse?: (response: Pdu) => void): boolean
    enquire_link(onResponse?: (response: Pdu) => void): boolean
    unbind(onResponse?: (response: Pdu) => void): boolean
    close(): void
    destroy(): void
  }

  export interface Server extends NetServer {
    readonly sessions: Session[]
  }

  const smpp: {
    createServer(listener: (session: Session) => void): Server
    connect(options: { host: string; port: number }, onConnect?: () => void): Session
  }
  export default smpp
}
