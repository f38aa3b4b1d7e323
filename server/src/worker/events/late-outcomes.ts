import type { Outcomes } from '../../domain/webhooks/index.ts'
import type { LateWrites } from '../../platform/late-writes.ts'

/** Keeps retrying to write an endpoint's answer; the event stays in hand until the answer is written. */
export function untilWritten(outcomes: Outcomes, late: LateWrites): Outcomes {
  return {
    taken: async (due, attempt) => {
      await late.write(() => outcomes.taken(due, attempt))
    },
    failed: async (due, attempt, next) => {
      let reason: string | null = null
      await late.write(async () => {
        reason = await outcomes.failed(due, attempt, next)
      })
      return reason
    },
  }
}
