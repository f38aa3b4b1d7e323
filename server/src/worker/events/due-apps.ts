/** Apps that may have something to send, in the order in which they came. */
import type { AppRef } from '../../domain/tenancy/index.ts'

/**
 * Where nothing was left waiting, nothing follows at once when an event ends: others may have made one meanwhile, and
 * they are looked for all at once.
 */
const soonMs = 100

export class DueApps {
  readonly #wake: () => void
  readonly #due = new Map<string, AppRef>()
  /** Those that will be due when the timer ends, unless something is claimed for them before. */
  readonly #dueSoon = new Map<string, AppRef>()
  #timer: NodeJS.Timeout | null = null

  /** Whoever claims is woken when apps are due that were only due soon, or when one that is due may have room now. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Of an event or an endpoint only its app is kept. */
  add({ companyId, appId }: AppRef): void {
    this.#due.set(appId, { companyId, appId })
  }

  /** An event of this app has ended, and left its room to others. */
  addSoon({ companyId, appId }: AppRef): void {
    this.#dueSoon.set(appId, { companyId, appId })
    if (this.#due.size > 0) this.#wake()
    this.#timer ??= setTimeout(() => this.#comeDue(), soonMs).unref()
  }

  list(): AppRef[] {
    return [...this.#due.values()]
  }

  remove(apps: readonly AppRef[]): void {
    for (const { appId } of apps) {
      this.#due.delete(appId)
      this.#dueSoon.delete(appId)
    }
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
  }

  #comeDue(): void {
    this.#timer = null
    if (this.#dueSoon.size === 0) return
    for (const app of this.#dueSoon.values()) this.add(app)
    this.#dueSoon.clear()
    this.#wake()
  }
}
