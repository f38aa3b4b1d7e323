/** How much waits and for how long. Read every 15 seconds, so that a scrape of the metrics needs no query. */
import { readBacklog } from '../domain/insight/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import type { Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'

const everyMs = 15_000

export interface BacklogDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'setBacklog'>
  readonly warn: Warn
}

export const startBacklogWatch = ({ database, clock, metrics, warn }: BacklogDependencies): Loop =>
  startLoop({
    pollMs: everyMs,
    round: async () => {
      metrics.setBacklog(await readBacklog(database, clock.nowMs()))
    },
    onError: (error) => warn('reading what waits failed', error),
  })
