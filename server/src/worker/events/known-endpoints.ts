/** The endpoints of apps, as the sender of events last saw them. */
import type { AppRef } from '../../domain/tenancy/index.ts'
import type { Claims } from '../../domain/webhooks/index.ts'
import { setNewest } from '../../platform/set-newest.ts'

/** Beyond this many apps, those that were silent longest are forgotten; their endpoints are looked up again. */
const most = 10_000
const none: ReadonlySet<string> = new Set()

export class KnownEndpoints {
  readonly #ofApps = new Map<string, ReadonlySet<string>>()
  /** Endpoints for which the last claim took everything that waited. */
  readonly #emptied = new Set<string>()

  of(appId: string): ReadonlySet<string> {
    return this.#ofApps.get(appId) ?? none
  }

  isEmptied(endpointId: string): boolean {
    return this.#emptied.has(endpointId)
  }

  add(appId: string, endpointId: string): void {
    this.#set(appId, [...this.of(appId), endpointId])
  }

  /** Records a claim, which has found all endpoints of these apps except the full ones, which it did not look at. */
  noteClaim(apps: readonly AppRef[], full: ReadonlySet<string>, { endpoints, emptied }: Claims): void {
    for (const { appId } of apps)
      this.#set(
        appId,
        [...this.of(appId)].filter((endpointId) => full.has(endpointId)),
      )
    for (const { appId, endpointId } of endpoints) {
      this.add(appId, endpointId)
      this.#noteEmptied(endpointId, emptied.has(endpointId))
    }
    for (const endpointId of full) this.#noteEmptied(endpointId, false)
  }

  #set(appId: string, endpointIds: readonly string[]): void {
    setNewest(this.#ofApps, appId, new Set(endpointIds), most)
  }

  #noteEmptied(endpointId: string, isEmptied: boolean): void {
    if (!isEmptied) this.#emptied.delete(endpointId)
    else if (this.#emptied.size < most) this.#emptied.add(endpointId)
  }
}
