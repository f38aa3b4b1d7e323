/** The questions that the parent and its processes ask each other. */
import type { OutgoingMessage, SendOutcome } from '../channels/channel.ts'
import type { MetricList } from '../platform/metrics.ts'
import type { Greeting, Surroundings } from '../service.ts'

export interface ProcessSlot {
  readonly surroundings: Surroundings
  /** The first process holds the connections that an account may have only once. */
  readonly isFirst: boolean
  /** Whether the process has to answer with a greeting. */
  readonly greets: boolean
}

export interface HandedOn {
  readonly providerId: string
  readonly message: OutgoingMessage
}

export interface FailedStart {
  readonly message: string
  readonly code: string | null
  /** Whether a setting is wrong, so that starting again is pointless. */
  readonly isOfSettings: boolean
}

/** The questions of a process to its parent. */
export type Upward = {
  /** Asked first: the slot of the process, and its surroundings. */
  readonly place: readonly [null, ProcessSlot]
  readonly ready: readonly [Greeting, null]
  readonly failed: readonly [FailedStart, null]
  /** The metrics of all processes, as text. */
  readonly metrics: readonly [null, string]
  /** Used only for its order: connections that the parent hands on before it answers arrive before the answer. */
  readonly turn: readonly [null, null]
  /** Sends a message over a connection of the first process. */
  readonly handOver: readonly [HandedOn, SendOutcome]
}

/** The questions of the parent to a process. */
export type Downward = {
  /** `drains`: load balancers get time to notice the stop. */
  readonly stop: readonly [{ readonly drains: boolean }, null]
  /** Tells the first process that all others have ended, so no more messages are handed on. */
  readonly alone: readonly [null, null]
  readonly ownMetrics: readonly [null, MetricList]
  readonly handOver: readonly [HandedOn, SendOutcome]
}
