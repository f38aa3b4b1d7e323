/**
 * Lists and figures, read from a standby while it is near enough to the primary, else from the primary. What decides
 * anything is never read here.
 */
import { AppError } from '@countersign/contract'
import type { Clock } from './clock.ts'
import { type Database, isUnavailable, openDatabase } from './database.ts'
import { causeOf } from './database-problems.ts'
import type { Log } from './log.ts'
import { startLoop } from './loop.ts'
import type { Queryable } from './tenant.ts'

const lookEveryMs = 2_000
/** Workers write every five seconds, so a standby that follows is never much further behind than that. */
const mostLagMs = 15_000
/** Of the connections of a node, for people who read. */
const share = 0.25
const fewest = 2

export type ReadProblem = 'read_database_unreachable' | 'read_database_lagging'

export interface ReadDatabase {
  /** Transactions go to the primary, as everywhere. */
  readonly database: Database
  readonly problem: () => ReadProblem | null
  readonly lagSeconds: () => number | null
  readonly close: () => Promise<void>
}

export interface ReadOptions {
  readonly url: string | null
  /** Of the node. */
  readonly connections: number
  readonly clock: Clock
  readonly log: Log
}

/** Without an address of its own everything is read from the primary. */
export const openReadDatabase = (primary: Database, { url, ...options }: ReadOptions): ReadDatabase =>
  url === null
    ? { database: primary, problem: () => null, lagSeconds: () => null, close: async () => {} }
    : followStandby(primary, { url, ...options })

function followStandby(
  primary: Database,
  { url, connections, clock, log }: ReadOptions & { readonly url: string },
): ReadDatabase {
  const standby = openDatabase(url, Math.max(fewest, Math.floor(connections * share)), () => {})
  let problem: ReadProblem | null = 'read_database_unreachable'
  let lagMs: number | null = null
  let isSaid = false
  const say = (found: ReadProblem | null, cause: string | null) => {
    if (found === problem && isSaid) return
    problem = found
    isSaid = true
    if (found === null) log('info', 'lists and figures are read from the standby')
    else log('warn', 'lists and figures are read from the primary', { problem: found, cause })
  }
  const look = async () => {
    try {
      lagMs = await readLag(standby, clock)
      say(lagMs > mostLagMs ? 'read_database_lagging' : null, `${Math.round(lagMs / 1000)} s`)
    } catch (error) {
      lagMs = null
      say('read_database_unreachable', causeOf(error))
    }
    return false
  }
  const loop = startLoop({ round: look, pollMs: lookEveryMs, onError: () => {} })
  /** What the standby cannot answer now is asked of the primary, and the standby is looked at. */
  const read: Read = (run) =>
    problem === null
      ? run(standby).catch((error: unknown) => {
          if (error instanceof AppError && !isUnavailable(error)) throw error
          loop.nudge()
          return run(primary)
        })
      : run(primary)
  return {
    database: { ...primary, ...readingWith(primary, read) },
    problem: () => problem,
    lagSeconds: () => (lagMs === null ? null : lagMs / 1000),
    close: async () => {
      // A look that is under way is not waited for.
      void loop.close()
      await standby.close()
    },
  }
}

type Read = <Result>(run: (queryable: Queryable) => Promise<Result>) => Promise<Result>

const readingWith = (primary: Queryable, read: Read): Queryable => ({
  query: (statement) => read((from) => from.query(statement)),
  of: (companyId) => ({
    companyId,
    query: (statement) => read((from) => from.of(companyId).query(statement)),
  }),
  holding: primary.holding,
})

/** By the primary's clock, since the time of the last transaction that was replayed is by that clock too. */
async function readLag(standby: Database, clock: Clock): Promise<number> {
  const { rows } = await standby.query<{ is_standby: boolean; replayed_ms: bigint | null }>({
    text: `select pg_is_in_recovery() as is_standby,
                  (extract(epoch from pg_last_xact_replay_timestamp()) * 1000)::bigint as replayed_ms`,
  })
  const [row] = rows
  if (!row?.is_standby || row.replayed_ms === null) return 0
  return Math.max(0, clock.nowMs() - Number(row.replayed_ms))
}
