/**
 * Who is connected to a port that everybody may know of. Whoever holds a connection without bringing mail makes room
 * where all places are taken, so that nobody is kept out by those who only stay.
 */
import type { Socket } from 'node:net'

const MOST = 50
/** Far longer than a mail takes. */
const PATIENCE_MS = 10_000

type Peer = Pick<Socket, 'remoteAddress' | 'remotePort'>
const nameOf = ({ remoteAddress, remotePort }: Peer) => `${remoteAddress} ${remotePort}`

interface Place {
  readonly socket: Socket
  /** When it came, or last brought mail. */
  readonly sinceMs: number
}

export class Places {
  readonly #nowMs: () => number
  /** Who has brought nothing for longest stands first. */
  readonly #taken = new Map<string, Place>()

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  readonly take = (socket: Socket): void => {
    if (this.#taken.size >= MOST) this.#makeRoom()
    if (this.#taken.size >= MOST) return
    const name = nameOf(socket)
    this.#taken.set(name, { socket, sinceMs: this.#nowMs() })
    socket.once('close', () => this.#taken.delete(name))
  }

  has(peer: Peer): boolean {
    return this.#taken.has(nameOf(peer))
  }

  noteMail(peer: Peer): void {
    const name = nameOf(peer)
    const place = this.#taken.get(name)
    if (!place) return
    this.#taken.delete(name)
    this.#taken.set(name, { ...place, sinceMs: this.#nowMs() })
  }

  #makeRoom(): void {
    const [first] = this.#taken
    if (!first) return
    const [name, { socket, sinceMs }] = first
    if (this.#nowMs() - sinceMs < PATIENCE_MS) return
    this.#taken.delete(name)
    socket.destroy()
  }
}
