/**
 * The calls that a node answers. During a stop they are still accepted for a while, so that load balancers notice. The
 * worker continues until the last of them is answered, since each may still create messages.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

export class Calls {
  #server: FastifyInstance | null = null
  #isDraining = false
  #closed: Promise<void> | null = null

  comeTo(server: FastifyInstance): void {
    this.#server = server
  }

  /** Once true, /readyz reports it, and answers ask callers to use another connection. */
  readonly isClosing = (): boolean => this.#isDraining || this.#closed !== null

  /** Calls are answered as before for `drainMs`. */
  async drain(drainMs: number): Promise<void> {
    this.#isDraining = true
    if (this.#server && drainMs > 0) await sleep(drainMs)
  }

  /** Resolves when every call that was under way is answered. */
  readonly close = (): Promise<void> => {
    this.#closed ??= this.#answerTheLast()
    return this.#closed
  }

  async #answerTheLast(): Promise<void> {
    await this.#server?.close()
  }
}
