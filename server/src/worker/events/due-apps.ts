/** Apps that may have something to send, in the order in which they came. */
import type { AppRef } from '../../domain/tenancy/index.ts'

/**
 * How soon an app is looked at again whose last claim left nothing waiting: events made since then are claimed together
 * with those of other apps.
 */
const soonMs = 100

export class DueApps {
  readonly #wake: () => void
  readonly #due = new Map<string, AppRef>()
  /** Due when the timer ends, unless they are claimed for before. */
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
