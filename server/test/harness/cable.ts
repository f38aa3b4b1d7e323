/** A proxy between a node and its database whose connections can be cut. */
import assert from 'node:assert/strict'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'

export class Cable {
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #isCut = false
  #isSilent = false

  constructor(target: URL) {
    this.#server = createServer((near) => {
      if (this.#isCut) {
        near.destroy()
        return
      }
      if (this.#isSilent) {
        this.#sockets.add(near)
        near.on('error', () => {})
        near.on('close', () => this.#sockets.delete(near))
        return
      }
      const far = dial(Number(target.port), target.hostname)
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
      }
      near.pipe(far)
      far.pipe(near)
    })
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    assert.ok(address && typeof address === 'object')
    return address.port
  }

  /** Keeps connections open, but lets nothing through. */
  silence(): void {
    for (const socket of this.#sockets) socket.pause()
    this.#isSilent = true
  }

  /** Not `resetAndDestroy`: on a socket that is just closing it leaves a handle that keeps the process alive. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  mend(): void {
    this.#isCut = false
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Starts a proxy to this database. `url` is the database's address through it. */
export async function layCable(databaseUrl: string): Promise<{ cable: Cable; url: string }> {
  const url = new URL(databaseUrl)
  const cable = new Cable(new URL(databaseUrl))
  url.port = String(await cable.listen())
  return { cable, url: url.href }
}
