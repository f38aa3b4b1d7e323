/**
 * The calls that a node answers. At a stop its worker goes on until the last of them is answered, since each
 * may still make messages.
 */
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

  /** Resolves when every call that was under way is answered. */
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
