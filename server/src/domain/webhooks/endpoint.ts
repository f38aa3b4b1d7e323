/**
 * Where an app's events go: to each of its endpoints that takes their type. Each endpoint has its own state:
 *
 *   active  → paused    20 failed attempts in a row; one event given up with no success since it was made; a 410
 *   paused  → probing   somebody enables it: the oldest event is tried alone
 *   probing → active    it was taken: the rest follows, oldest first
 *   probing → paused    it was not
 *
 * While paused, events wait and none is attempted. A new URL does not resume anything.
 */
import type { EventType } from '@countersign/contract'
import type { EndpointId } from '../../platform/ids.ts'
import type { AppRef } from '../tenancy/index.ts'

export type EndpointStatus = 'active' | 'probing' | 'paused'

export interface EndpointRef extends AppRef {
  readonly endpointId: EndpointId
}

export interface Endpoint {
  readonly endpointId: EndpointId
  readonly url: string
  /** Null for all types. */
  readonly types: readonly EventType[] | null
  readonly status: EndpointStatus
  readonly pausedAt: Date | null
  readonly reason: string | null
  readonly createdAt: Date
  /** Events that wait because the endpoint is paused. */
  readonly held: number
}

export const secretContext = (endpointId: string) => `webhook secret of ${endpointId}`
export const maxRetriesInFlight = 8
export const failuresToPause = 20
export const previousSecretHours = 24
