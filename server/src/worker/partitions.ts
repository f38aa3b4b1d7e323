/** Makes partitions ahead, in its own loop, so that tomorrow's rows have one even if other upkeep fails or is slow. */
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import type { Log, Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'
import { dayMs, makePartitions, readRoom } from '../platform/partitions.ts'

/** Short, so that rows are not without a partition for long after the clock has jumped ahead. */
const everyMs = 5_000
const leastDays = 3
const tellEveryMs = 3_600_000

export interface PartitionDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'watchPartitions'>
  readonly log: Log
  readonly warn: Warn
}

export function startPartitionMaker({ database, clock, metrics, log, warn }: PartitionDependencies): Loop {
  let roomUntilMs: number | null = null
  let toldAtMs = Number.NEGATIVE_INFINITY
  /** Computed from the clock, so that it decreases by itself when no more partitions are made. */
  const daysAhead = () => (roomUntilMs === null ? null : Math.floor((roomUntilMs - clock.nowMs()) / dayMs))
  metrics.watchPartitions(daysAhead)

  const tell = (days: number) => {
    if (days >= leastDays) toldAtMs = Number.NEGATIVE_INFINITY
    else if (performance.now() - toldAtMs >= tellEveryMs) {
      toldAtMs = performance.now()
      log('warn', 'there is little room ahead; what has no partition for its day is refused', {
        days_ahead: days,
      })
    }
  }
  return startLoop({
    pollMs: everyMs,
    onError: (error) => warn('looking for partitions failed', error),
    round: async () => {
      await makePartitions(database).catch((error: unknown) => warn('making partitions failed', error))
      roomUntilMs = await readRoom(database)
      tell(daysAhead() ?? 0)
    },
  })
}
