/**
 * Caches what rarely changes (keys, apps, prices, providers) on each node. The whole cache is cleared when the revision
 * in `changes` moves. A node that has not been able to read the revision for a while trusts nothing in its cache, so a
 * change is in force everywhere within a second.
 */
import type { DatabaseClock } from './clock.ts'
import type { Database, Queryable } from './database.ts'

const pollMs = 300
/** Together with one poll and one query this stays below a second. */
const trustMs = 700
/** Calls share a load of the same key that began less than this ago. */
const sharedMs = 300

interface Load<Value> {
  readonly value: Promise<Value | undefined>
  readonly generation: number
  readonly begunMs: number
}

export interface Remembered<Value> {
  (key: string): Promise<Value | undefined>
  /** What is remembered, even if it is no longer trusted. Never use it to permit anything. */
  readonly recall: (key: string) => Value | undefined
}

export class ChangeWatch {
  readonly #database: Database
  readonly #clock: DatabaseClock
  readonly #onChange: () => Promise<void>
  readonly #onError: (error: unknown) => void
  readonly #memories: Map<string, unknown>[] = []
  #revision = ''
  #generation = 0
  #readAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  /** `onError` is called for every poll that fails; by then the cache is no longer trusted. */
  constructor(
    database: Database,
    clock: DatabaseClock,
    onChange: () => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#database = database
    this.#clock = clock
    this.#onChange = onChange
    this.#onError = onError
  }

  /** Reads the revision once, then keeps polling. */
  async start(): Promise<void> {
    await this.#read()
    this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** Called on the node that made a change, so that it need not wait for the poll. */
  readonly forget = (): void => {
    this.#generation++
    for (const memory of this.#memories) memory.clear()
  }

  /** `load` resolves with undefined for what does not exist, which is not remembered. */
  remember<Value>(load: (key: string) => Promise<Value | undefined>, maxEntries: number): Remembered<Value> {
    const memory = new Map<string, Value>()
    /** Loads under way, so that calls that wait for a busy database do not all ask for the same thing. */
    const loads = new Map<string, Load<Value>>()
    this.#memories.push(memory)
    const begin = async (key: string, generation: number) => {
      const value = await load(key)
      // If something changed during the load, the loaded value may be outdated.
      if (value !== undefined && generation === this.#generation) {
        if (memory.size >= maxEntries) memory.clear()
        memory.set(key, value)
      }
      return value
    }
    const find = async (key: string) => {
      const nowMs = performance.now()
      const known = nowMs - this.#readAt < trustMs ? memory.get(key) : undefined
      if (known !== undefined) return known
      const generation = this.#generation
      const underWay = loads.get(key)
      if (underWay?.generation === generation && nowMs - underWay.begunMs < sharedMs) return underWay.value
      const value = begin(key, generation)
      const mine = { value, generation, begunMs: nowMs }
      loads.set(key, mine)
      try {
        return await value
      } finally {
        if (loads.get(key) === mine) loads.delete(key)
      }
    }
    return Object.assign(find, { recall: (key: string) => memory.get(key) })
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#read()
        .catch(this.#onError)
        .finally(() => this.#schedule())
    }, pollMs)
  }

  async #read(): Promise<void> {
    const askedAt = performance.now()
    // The revision includes the server's start time: a server that was promoted or restored may reach the same number
    // by other changes.
    const found = await this.#database.query<{ revision: string; now_ms: bigint }>({
      name: 'read-revision',
      text: `select revision || ' ' || extract(epoch from pg_postmaster_start_time()) as revision,
                    (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms from changes`,
    })
    const row = found.rows[0]
    if (!row) throw new Error('the table changes is empty')
    this.#clock.calibrate(Number(row.now_ms))
    if (row.revision !== this.#revision) {
      this.forget()
      await this.#onChange()
      this.#revision = row.revision
    }
    this.#readAt = askedAt
  }
}

/** Call this in the transaction that changes something remembered. */
export async function raiseRevision(transaction: Queryable): Promise<void> {
  await transaction.query({ text: 'update changes set revision = revision + 1' })
}
