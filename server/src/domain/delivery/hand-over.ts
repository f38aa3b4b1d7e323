/** From the acceptance of a message to the worker of the same node, without a look into the table. */
import type { CompanyId } from '../../platform/ids.ts'
import type { DueDelivery } from './delivery.ts'

export interface Accepted {
  readonly companyId: CompanyId
  readonly providerId: string
  readonly deliveryId: string
}

/** Of a batch that is being written: the deliveries that this node's worker has made room for. */
export interface Reservation {
  /** Who is to be named as the holder; null for one that whoever finds it shall take. */
  readonly holderOf: (deliveryId: string) => string | null
  /** Called after the commit. */
  readonly begin: (dues: readonly DueDelivery[]) => void
  /**
   * Called when it was not committed, or nobody knows: the worker then looks in the table for what it holds.
   */
  readonly cancel: () => void
}

export interface HandOver {
  readonly reserve: (accepted: readonly Accepted[]) => Reservation
}

/** Where there is no worker: the workers of other nodes find what was accepted. */
export const leftForOthers: HandOver = {
  reserve: () => ({ holderOf: () => null, begin: () => {}, cancel: () => {} }),
}
