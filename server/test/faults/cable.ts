/** A proxy between two programs: whole, cut, silent, slow, or silent in one direction (`half there`, `half back`). */
import { createServer, connect as dial, type Server, type Socket } from 'node:net'

export type CableState = 'whole' | 'cut' | 'silent' | 'slow' | 'half there' | 'half back'

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

export class Cable {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  readonly #delayMs: () => number
  /** Sockets whose last bytes are still delayed: later bytes must not overtake them. */
  readonly #delayed = new Set<Socket>()
  #state: CableState = 'whole'

  constructor(target: () => number, delayMs: () => number) {
    this.#delayMs = delayMs
    this.#server = createServer((near) => {
      if (this.#state === 'cut') return void near.destroy()
      const far = dial(target(), '127.0.0.1')
      const pair = { near, far }
      this.#pairs.add(pair)
      const end = () => {
        this.#pairs.delete(pair)
        near.destroy()
        far.destroy()
      }
      for (const socket of [near, far]) {
        socket.setNoDelay(true)
        socket.on('error', () => {})
        socket.on('close', end)
      }
      near.on('data', (bytes: Buffer) => this.#carry(pair, near, far, bytes))
      far.on('data', (bytes: Buffer) => this.#carry(pair, far, near, bytes))
      this.#treat(pair)
    })
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    if (!address || typeof address === 'string') throw new Error('the cable has no port')
    return address.port
  }

  become(state: CableState): void {
    this.#state = state
    for (const pair of [...this.#pairs]) this.#treat(pair)
  }

  close(): void {
    this.become('cut')
    this.#server.close()
  }

  /** Paused bytes are not lost: they arrive when the cable is whole again, if the connection lasts that long. */
  #treat({ near, far }: Pair): void {
    const isSilent = this.#state === 'silent'
    if (this.#state === 'cut') near.destroy()
    flow(near, !isSilent && this.#state !== 'half there' && !this.#delayed.has(near))
    flow(far, !isSilent && this.#state !== 'half back' && !this.#delayed.has(far))
  }

  #carry(pair: Pair, from: Socket, to: Socket, bytes: Buffer): void {
    if (this.#state !== 'slow') {
      if (!to.destroyed) to.write(bytes)
      return
    }
    this.#delayed.add(from)
    from.pause()
    setTimeout(() => {
      this.#delayed.delete(from)
      if (to.destroyed) return
      to.write(bytes)
      this.#treat(pair)
    }, this.#delayMs())
  }
}

const flow = (socket: Socket, flows: boolean) => (flows ? socket.resume() : socket.pause())
