/**
 * Where an app's events go.
 *
 *   active  → paused    20 failed attempts in a row; one event given up with no success since it was made; a 410
 *   paused  → probing   somebody enables it: the oldest event is tried alone
 *   probing → active    it was taken: the rest follows, oldest first
 *   probing → paused    it was not
 *
 * While paused, events wait and none is attempted. A new URL does not resume anything.
 */
import type { AppId } from '../../platform/ids.ts'

export type EndpointStatus = 'active' | 'probing' | 'paused'

export interface Endpoint {
  readonly appId: AppId
  readonly url: string
  readonly status: EndpointStatus
  readonly pausedAt: Date | null
  readonly reason: string | null
  /** Events that wait because it is paused. */
  readonly held: number
}

export const secretContext = (appId: string) => `webhook secret of ${appId}`
export const maxRetriesInFlight = 8
export const failuresToPause = 20
export const previousSecretHours = 24
