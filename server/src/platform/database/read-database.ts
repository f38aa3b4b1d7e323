/**
 * Reads lists and figures from a standby while it is close enough to the primary, else from the primary. Nothing that a
 * decision depends on is read here.
 */
import { AppError } from '@countersign/contract'
import type { Clock } from '../clock.ts'
import { type Database, isUnavailable, openDatabase } from '../database.ts'
import type { Log } from '../log.ts'
import { startLoop } from '../loop.ts'
import type { Queryable } from '../tenant.ts'
import { causeOf } from './problems.ts'

const usualLookMs = 2_000
const mostLagMs = 15_000
/** The share of a node's connections for what people read. */
const share = 0.25
const fewest = 2

export type ReadProblem = 'read_database_unreachable' | 'read_database_lagging'

export interface ReadDatabase {
  /** Its transactions go to the primary. */
  readonly database: Database
  readonly problem: () => ReadProblem | null
  readonly lagSeconds: () => number | null
  readonly close: () => Promise<void>
}

export interface ReadOptions {
  readonly url: string | null
  /** How many connections the node may have in all. */
  readonly connections: number
  readonly clock: Clock
  readonly log: Log
  readonly lookEveryMs?: number
}

/** Without a URL everything is read from the primary. */
export const openReadDatabase = (primary: Database, { url, ...options }: ReadOptions): ReadDatabase =>
  url === null
    ? { database: primary, problem: () => null, lagSeconds: () => null, close: async () => {} }
    : followStandby(primary, { url, ...options })

function followStandby(
  primary: Database,
  { url, connections, clock, log, lookEveryMs = usualLookMs }: ReadOptions & { readonly url: string },
): ReadDatabase {
  const standby = openDatabase(url, Math.max(fewest, Math.floor(connections * share)), () => {})
  let problem: ReadProblem | null = 'read_database_unreachable'
  let lagMs: number | null = null
  /** When the standby last had everything that the primary had. */
  let caughtUpAtMs = Number.NEGATIVE_INFINITY
  let isStranger = false
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
      const startedAtMs = clock.nowMs()
      const { isCaughtUp, replayedAtMs, ...seen } = await readReplay(standby, await markPrimary(primary))
      isStranger = seen.isStranger ?? isStranger
      if (isStranger) {
        lagMs = null
        say('read_database_lagging', 'it is no standby, and not the primary')
        return false
      }
      if (isCaughtUp) caughtUpAtMs = startedAtMs
      lagMs = isCaughtUp ? 0 : Math.max(0, clock.nowMs() - Math.max(caughtUpAtMs, replayedAtMs))
      say(lagMs > mostLagMs ? 'read_database_lagging' : null, `${Math.round(lagMs / 1000)} s`)
    } catch (error) {
      lagMs = null
      say('read_database_unreachable', causeOf(error))
    }
    return false
  }
  const loop = startLoop({ round: look, pollMs: lookEveryMs, onError: () => {} })
  /** Reads that the standby cannot answer go to the primary, and the standby is checked again. */
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
      // A check that is under way is not waited for.
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

interface PrimaryMark {
  /** How far the primary has written its WAL. */
  readonly wal_end: string
  /** The start time of the primary, which tells it from any other server. */
  readonly started_at: string
}

const startedAt = 'extract(epoch from pg_postmaster_start_time())::text'

/** Null if the primary does not answer. */
async function markPrimary(primary: Queryable): Promise<PrimaryMark | null> {
  try {
    const { rows } = await primary.query<{ wal_end: string; started_at: string }>({
      text: `select pg_current_wal_flush_lsn()::text as wal_end, ${startedAt} as started_at`,
    })
    return rows[0] ?? null
  } catch {
    return null
  }
}

interface Replay {
  /** Whether it has everything that the primary had when asked. A standby that has become the primary always has. */
  readonly isCaughtUp: boolean
  /**
   * Whether it is neither a standby nor the primary, such as an old primary that is back. Null if the primary is
   * silent.
   */
  readonly isStranger: boolean | null
  /** When its last transaction was made. That may be long ago if nobody writes, so this alone does not prove a lag. */
  readonly replayedAtMs: number
}

async function readReplay(standby: Database, primary: PrimaryMark | null): Promise<Replay> {
  const { rows } = await standby.query<{
    is_standby: boolean
    is_caught_up: boolean | null
    replayed_ms: bigint | null
  }>({
    text: `select pg_is_in_recovery() as is_standby,
                  case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= $1::pg_lsn
                       else ${startedAt} = $2::text end as is_caught_up,
                  (extract(epoch from pg_last_xact_replay_timestamp()) * 1000)::bigint as replayed_ms`,
    values: [primary?.wal_end ?? null, primary?.started_at ?? null],
  })
  const [row] = rows
  const replayedMs = row?.replayed_ms ?? null
  return {
    isCaughtUp: row?.is_caught_up ?? false,
    isStranger: row?.is_standby !== false ? false : row.is_caught_up === null ? null : !row.is_caught_up,
    // It has replayed nothing since it was started: everything it has comes from its base backup.
    replayedAtMs: replayedMs === null ? Number.POSITIVE_INFINITY : Number(replayedMs),
  }
}
