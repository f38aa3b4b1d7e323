/** The calls that a node answers. Workers wait for the last one, though they are there before the first. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

export class Calls {
  readonly #drainMs: number
  #server: FastifyInstance | null = null
  #closed: Promise<void> | null = null

  constructor(drainMs: number) {
    this.#drainMs = drainMs
  }

  comeTo(server: FastifyInstance): void {
    this.#server = server
  }

  get isClosing(): boolean {
    return this.#closed !== null
  }

  /** Resolves when whoever has asked is answered. */
  readonly close = (): Promise<void> => {
    this.#closed ??= this.#answerTheLast()
    return this.#closed
  }

  async #answerTheLast(): Promise<void> {
    if (!this.#server) return
    await sleep(this.#drainMs)
    await this.#server.close()
  }
}
