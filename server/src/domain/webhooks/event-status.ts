/** The status of an event over all its endpoints. */
import type { ListedEventStatus } from '@countersign/contract'

export interface Destination {
  readonly endpointId: string
  /** Null if the endpoint is gone. */
  readonly url: string | null
  readonly status: ListedEventStatus
  readonly nextAttemptAt: Date | null
}

/** What is still to be done comes first, then what went wrong. */
const order: readonly ListedEventStatus[] = [
  'sending',
  'waiting',
  'held',
  'failed',
  'expired',
  'delivered',
  'skipped',
]

/** An endpoint that is gone counts only if there is no other. */
const counted = (destinations: readonly Destination[]) => {
  const there = destinations.filter(({ url }) => url !== null)
  return there.length > 0 ? there : destinations
}

export function statusOf(destinations: readonly Destination[]): ListedEventStatus {
  const found = counted(destinations).map(({ status }) => status)
  return order.find((status) => found.includes(status)) ?? 'skipped'
}

/** The earliest next attempt at any endpoint. */
export function nextAttemptOf(destinations: readonly Destination[]): Date | null {
  const times = counted(destinations).flatMap(({ nextAttemptAt }) => nextAttemptAt ?? [])
  return times.toSorted((left, right) => left.getTime() - right.getTime())[0] ?? null
}
