/** Gives accepted messages to the worker of the same node, without reading the table. */
import type { CompanyId } from '../../platform/ids.ts'
import type { DueDelivery } from './delivery.ts'

interface Accepted {
  readonly companyId: CompanyId
  readonly providerId: string
  readonly deliveryId: string
}

/** The deliveries of a batch that this node's worker has room for. */
export interface Reservation {
  /** The worker that holds the delivery; null if any worker may take it. */
  readonly holderOf: (deliveryId: string) => string | null
  /** Called after the commit. */
  readonly begin: (dues: readonly DueDelivery[]) => void
  /** Called if the batch was not, or perhaps not, committed: the worker then looks in the table for what it holds. */
  readonly cancel: () => void
}

export interface HandOver {
  readonly reserve: (accepted: readonly Accepted[]) => Reservation
}

/** For a node without a worker: the workers of other nodes find what was accepted. */
export const leftForOthers: HandOver = {
  reserve: () => ({ holderOf: () => null, begin: () => {}, cancel: () => {} }),
}
