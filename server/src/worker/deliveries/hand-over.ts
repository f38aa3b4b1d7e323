/** Gives deliveries that this node accepts to its own worker without a search of the table, as far as there is room. */
import type { HandOver, Slot } from '../../domain/delivery/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Strays } from './strays.ts'
import type { UnderWay } from './under-way.ts'
import type { Walk } from './walk.ts'

interface HandOverDependencies {
  readonly workerId: string
  readonly clock: Clock
  readonly underWay: UnderWay
  readonly walk: Walk
  readonly strays: Strays
  /** Makes the worker search the table. */
  readonly nudge: () => void
}

export function createHandOver(dependencies: HandOverDependencies): HandOver {
  const { workerId, clock, underWay, walk, strays, nudge } = dependencies
  const { slots, held } = underWay
  return {
    reserve: (accepted) => {
      const heldSinceMs = performance.now()
      const reservedAtMs = clock.nowMs()
      const reserved = new Map<string, Slot>()
      for (const line of accepted) {
        // Deliveries that wait in the table came earlier and go first.
        const slot = walk.isWaiting(line) ? null : slots.tryTake(line)
        if (slot) reserved.set(line.deliveryId, slot)
        else walk.addWaiting(line)
      }
      // They count as in hand before they are written, so that none of them is taken for a stray.
      for (const deliveryId of reserved.keys()) held.add(deliveryId, 1)
      return {
        holderOf: (deliveryId) => (reserved.has(deliveryId) ? workerId : null),
        begin: (dues) => {
          for (const due of dues) {
            const slot = reserved.get(due.deliveryId)
            if (slot) underWay.begin(due, slot, heldSinceMs)
          }
          if (reserved.size < accepted.length && !walk.lacksSlots) nudge()
        },
        cancel: () => {
          for (const [deliveryId, slot] of reserved) {
            held.add(deliveryId, -1)
            slot.release()
          }
          if (reserved.size > 0) strays.note(reservedAtMs)
          reserved.clear()
          nudge()
        },
      }
    },
  }
}
