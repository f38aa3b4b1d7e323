/** Apps that may have events to send, in the order in which they became due. */
import type { AppRef } from '../../domain/tenancy/index.ts'

/**
 * How soon an app is looked at again if its last claim left nothing waiting: events made since then are claimed
 * together with those of other apps.
 */
const soonMs = 100

export class DueApps {
  readonly #wake: () => void
  readonly #due = new Map<string, AppRef>()
  /** Apps that become due when the timer ends, unless a claim comes first. */
  readonly #dueSoon = new Map<string, AppRef>()
  #timer: NodeJS.Timeout | null = null

  /** `wake` is called when apps that were due soon become due, or when an app that is due may have room now. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Keeps only the app of an event or an endpoint. */
  add({ companyId, appId }: AppRef): void {
    this.#due.set(appId, { companyId, appId })
  }

  /** Called when an event of this app has ended and its room is free. */
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
