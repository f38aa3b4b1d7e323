/**
 * When keys were last used, how often, and how many calls were refused: counted in memory by each node and written at
 * intervals, so that no request waits for it.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type Loop, startLoop } from '../../platform/loop.ts'
import { type KeyUse, writeKeyUses } from './key-store.ts'
import type { Principal } from './tenancy.ts'

const writeEveryMs = 60_000

/** Writable, since it is counted up call by call. */
type CountedUse = { -readonly [Part in keyof KeyUse]: KeyUse[Part] }

const added = (earlier: CountedUse | undefined, later: CountedUse): CountedUse => ({
  ...later,
  calls: later.calls + (earlier?.calls ?? 0),
  errors: later.errors + (earlier?.errors ?? 0),
})

export class KeyUses {
  readonly #database: Database
  readonly #clock: Clock
  readonly #loop: Loop
  readonly #onError: (error: unknown) => void
  #uses = new Map<string, CountedUse>()

  constructor(database: Database, clock: Clock, onError: (error: unknown) => void, everyMs = writeEveryMs) {
    this.#database = database
    this.#clock = clock
    this.#onError = onError
    this.#loop = startLoop({
      pollMs: everyMs,
      onError,
      round: async () => {
        await this.write()
      },
    })
  }

  note(principal: Principal): void {
    const use = this.#useOf(principal)
    use.at = new Date(this.#clock.nowMs())
    use.calls++
  }

  /** Counts the refusal of a call that was noted before. */
  noteError(principal: Principal): void {
    this.#useOf(principal).errors++
  }

  #useOf({ keyId, app: { companyId, appId } }: Principal): CountedUse {
    const known = this.#uses.get(keyId)
    if (known) return known
    const use = { companyId, appId, keyId, at: new Date(this.#clock.nowMs()), calls: 0, errors: 0 }
    this.#uses.set(keyId, use)
    return use
  }

  /** Counts that could not be written are kept for the next time, together with those that have come since. */
  async write(): Promise<void> {
    const uses = this.#uses
    if (uses.size === 0) return
    this.#uses = new Map()
    await writeKeyUses(this.#database, [...uses.values()]).catch((error: unknown) => {
      for (const [keyId, since] of this.#uses) uses.set(keyId, added(uses.get(keyId), since))
      this.#uses = uses
      throw error
    })
  }

  async close(): Promise<void> {
    await this.#loop.close()
    await this.write().catch(this.#onError)
  }
}
