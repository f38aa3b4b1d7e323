/** A cable between two programs: whole, cut, silent, slow, or with one direction that brings nothing: there, or back. */
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
      near.on('data', (bytes: Buffer) => this.#carry(near, far, bytes))
      far.on('data', (bytes: Buffer) => this.#carry(far, near, bytes))
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

  /** What waits is not lost: it comes when the cable is whole again, if the connection lives for so long. */
  #treat({ near, far }: Pair): void {
    const isSilent = this.#state === 'silent'
    if (this.#state === 'cut') near.destroy()
    if (isSilent || this.#state === 'half there') near.pause()
    else near.resume()
    if (isSilent || this.#state === 'half back') far.pause()
    else far.resume()
  }

  #carry(from: Socket, to: Socket, bytes: Buffer): void {
    const write = () => {
      if (!to.destroyed) to.write(bytes)
    }
    if (this.#state !== 'slow') {
      write()
      return
    }
    // The order stays: nothing more is read until this is on its way.
    from.pause()
    setTimeout(() => {
      write()
      if (this.#state === 'slow' || this.#state === 'whole') from.resume()
    }, this.#delayMs())
  }
}
