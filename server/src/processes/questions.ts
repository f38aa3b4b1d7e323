/** What the parent and its processes ask of each other. */
import type { OutgoingMessage, SendOutcome } from '../channels/channel.ts'
import type { MetricList } from '../platform/metrics.ts'
import type { Greeting, Surroundings } from '../service.ts'

export interface Place {
  readonly surroundings: Surroundings
  /** The first process holds the connections that an account may have only once. */
  readonly isFirst: boolean
  /** Whether the greeting is waited for. */
  readonly greets: boolean
}

export interface HandedOn {
  readonly providerId: string
  readonly message: OutgoingMessage
}

export interface FailedStart {
  readonly message: string
  readonly code: string | null
  /** Whether a setting is wrong, so that there is no point in trying again. */
  readonly isOfSettings: boolean
}

/** What a process asks of its parent. */
export type Upward = {
  /** Asked first: which place the process has, and what is around it. */
  readonly place: readonly [null, Place]
  readonly ready: readonly [Greeting, null]
  readonly failed: readonly [FailedStart, null]
  /** The metrics of all processes, as text. */
  readonly metrics: readonly [null, string]
  /** Only for its order: connections that the parent hands on before it answers arrive before the answer. */
  readonly turn: readonly [null, null]
  /** A message over a connection of the first process. */
  readonly handOver: readonly [HandedOn, SendOutcome]
}

/** What the parent asks of a process. */
export type Downward = {
  /** `drains`: load balancers get time to notice. */
  readonly stop: readonly [{ readonly drains: boolean }, null]
  /** All others have ended, so no more messages are handed on. */
  readonly alone: readonly [null, null]
  readonly ownMetrics: readonly [null, MetricList]
  readonly handOver: readonly [HandedOn, SendOutcome]
}
