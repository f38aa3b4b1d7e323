/** Whether this node can serve, and what is wrong if not. Anybody may ask, so no host is named. */

import type { DatabaseHealth } from '../platform/database/health.ts'
import type { HostState } from '../platform/database/primary.ts'
import type { DatabaseProblem } from '../platform/database/problems.ts'
import type { ReadDatabase, ReadProblem } from '../platform/database/read-database.ts'
import type { Database } from '../platform/database.ts'

export interface Readiness {
  readonly status: 'ready' | 'not ready'
  /** Absent if there are none. The node may still serve although there is one. */
  readonly problems?: readonly ('stopping' | DatabaseProblem | ReadProblem)[]
  /** In the order of DATABASE_URL, if it names several hosts. */
  readonly database_hosts?: readonly HostState[]
}

export function createReadiness({
  database,
  databaseHealth,
  reading,
  isClosing,
}: {
  readonly database: Database
  readonly databaseHealth: DatabaseHealth
  readonly reading: ReadDatabase
  readonly isClosing: () => boolean
}): () => Promise<Readiness> {
  return async () => {
    const isUsable = await databaseHealth.isUsable()
    const isStopping = isClosing()
    const ofReading = reading.problem()
    const problems = [
      ...(isStopping ? (['stopping'] as const) : []),
      ...databaseHealth.problems,
      ...(ofReading ? [ofReading] : []),
    ]
    const hosts = database.seenHosts().map(({ state }) => state)
    return {
      status: isUsable && !isStopping ? 'ready' : 'not ready',
      ...(problems.length > 0 ? { problems } : {}),
      ...(hosts.length > 0 ? { database_hosts: hosts } : {}),
    }
  }
}
