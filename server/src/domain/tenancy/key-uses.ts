/** When keys were last used: remembered by each node and written now and then, so that no request waits for it. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type Loop, startLoop } from '../../platform/loop.ts'
import { type KeyUse, writeKeyUses } from './store.ts'
import type { Principal } from './tenancy.ts'

const writeEveryMs = 60_000

export class KeyUses {
  readonly #database: Database
  readonly #clock: Clock
  readonly #loop: Loop
  readonly #onError: (error: unknown) => void
  #uses = new Map<string, KeyUse>()

  constructor(database: Database, clock: Clock, onError: (error: unknown) => void, everyMs = writeEveryMs) {
    this.#database = database
    this.#clock = clock
    this.#onError = onError
    this.#loop = startLoop({
      pollMs: everyMs,
      onError,
      round: async () => {
        await this.write()
        return false
      },
    })
  }

  note({ keyId, app }: Principal): void {
    this.#uses.set(keyId, {
      companyId: app.companyId,
      appId: app.appId,
      keyId,
      at: new Date(this.#clock.nowMs()),
    })
  }

  /** What could not be written is kept for the next time, unless the key was used again since. */
  async write(): Promise<void> {
    const uses = this.#uses
    if (uses.size === 0) return
    this.#uses = new Map()
    await writeKeyUses(this.#database, [...uses.values()]).catch((error: unknown) => {
      this.#uses = new Map([...uses, ...this.#uses])
      throw error
    })
  }

  async close(): Promise<void> {
    await this.#loop.close()
    await this.write().catch(this.#onError)
  }
}
