/** The connections to the database: how each is opened, to which host, and how they are divided between pools. */
import { Writable } from 'node:stream'
import pg from 'pg'
import type { PoolState } from '../traffic-metrics.ts'
import { DatabaseClient } from './client.ts'
import { hostsOf } from './hosts.ts'
import { type Sessions, sessionSettings, statementTimeoutMs } from './pooler.ts'
import { Primary, readOnlyQuestion, type SeenHost } from './primary.ts'
import { NoPrimaryError } from './problems.ts'

const int8 = 20
const int8Array = 1016
export const types = new pg.TypeOverrides()
types.setTypeParser(int8, (text) => BigInt(text))
types.setTypeParser(int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))

const connectTimeoutMs = 5_000

const openPool = (url: string, connections: number, more: pg.PoolConfig) =>
  new pg.Pool({
    Client: DatabaseClient,
    connectionString: url,
    max: connections,
    types,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + 2_000,
    application_name: 'countersign',
    keepAlive: true,
    // A statement need not wait for the answer to the one before it on the same connection.
    pipeline: true,
    // Prepared statements that name a day's partition stay until their connection closes, so connections are replaced.
    maxLifetimeSeconds: 3_600,
    // A new connection has to plan every statement again, so idle ones are kept for the next burst.
    idleTimeoutMillis: 60_000,
    ...more,
  })

/** With fewer connections than this there is one pool for everything. */
const fewestToShare = 4
/** The share of the connections for what people look at, and for upkeep. */
const shareOfOthers = 0.25
/** At least two: while a transaction uses one connection, its caller may query over another. */
const fewestOfOthers = 2

/**
 * Statements with a name are those of every send, guess, message and event. They have connections of their own, which
 * plan each of them once. Otherwise PostgreSQL would plan it five times on every connection before it keeps a plan.
 */
interface TwoPools {
  readonly prepared: pg.Pool
  readonly others: pg.Pool
}

/** The open connections of each pool, so that they can be destroyed at once. */
const clientsOf = new WeakMap<pg.Pool, Set<pg.PoolClient>>()

export interface Pools {
  readonly get: () => Promise<TwoPools>
  /** Called after an error: with several hosts, all of them are asked again at once. */
  readonly doubt: () => void
  readonly seenHosts: () => readonly SeenHost[]
  /** How many connections are in use right now. */
  readonly usage: () => readonly PoolState[]
  readonly close: () => Promise<void>
}

interface PoolOptions {
  readonly sessions: Sessions
  readonly onLost: (error: Error) => void
  readonly onSeen: (seen: readonly SeenHost[]) => void
}

export function openPools(
  url: string,
  connections: number,
  { sessions, onLost, onSeen }: PoolOptions,
): Pools {
  const { urls, mustTakeWrites } = hostsOf(url)
  const [first = url] = urls
  const settings = sessions.keepSettings ? sessionSettings : {}
  const open = (more: pg.PoolConfig) =>
    openTwoPools(first, connections, { ...settings, ...more }, { sessions, onLost })
  if (urls.length === 1) {
    const only = open(mustTakeWrites ? { onConnect: assertTakesWrites } : {})
    return {
      get: async () => only,
      doubt: () => {},
      seenHosts: () => [],
      usage: () => usageOf(only),
      close: () => endPools(only),
    }
  }
  const options: pg.PoolConfig = {
    Client: clientTo(() => primary.current),
    onConnect: async (client) => {
      if (primary.current === null) throw new NoPrimaryError()
      await assertTakesWrites(client)
    },
  }
  let current = open(options)
  const primary: Primary = new Primary(hostsOf(url), {
    move: () => {
      const left = current
      current = open(options)
      dropPools(left)
    },
    seen: onSeen,
  })
  return {
    get: async () => {
      if (primary.current === null) await primary.firstLook
      return current
    },
    doubt: primary.nudge,
    seenHosts: () => primary.seen,
    usage: () => usageOf(current),
    close: async () => {
      primary.close()
      await endPools(current)
    },
  }
}

function openTwoPools(
  url: string,
  connections: number,
  more: pg.PoolConfig,
  { sessions, onLost }: Pick<PoolOptions, 'sessions' | 'onLost'>,
): TwoPools {
  const others = Math.max(fewestOfOthers, Math.floor(connections * shareOfOthers))
  const pools = connections < fewestToShare ? onePool() : twoPools()
  for (const pool of each(pools)) {
    const clients = new Set<pg.PoolClient>()
    clientsOf.set(pool, clients)
    pool.on('connect', (client) => clients.add(client)).on('remove', (client) => clients.delete(client))
    pool.on('error', onLost)
  }
  return pools

  function onePool(): TwoPools {
    const pool = openPool(url, connections, more)
    return { prepared: pool, others: pool }
  }
  function twoPools(): TwoPools {
    const prepared = openPool(url, connections - others, more)
    // Behind a pooler the setting would stay in a session that other clients use next.
    if (!sessions.keepSettings) return { prepared, others: openPool(url, others, more) }
    prepared.on('connect', (client) => {
      // If this fails, the connection is lost, and the next statement on it reports that.
      client.query('set plan_cache_mode = force_generic_plan').catch(() => {})
    })
    return { prepared, others: openPool(url, others, more) }
  }
}

const each = ({ prepared, others }: TwoPools) => new Set([prepared, others])

const usageOf = (pools: TwoPools): PoolState[] =>
  [...each(pools)].map((pool) => ({
    name: pool === pools.prepared ? 'prepared' : 'others',
    busy: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }))

async function endPools(pools: TwoPools): Promise<void> {
  await Promise.all([...each(pools)].map((pool) => pool.end()))
}

/** Destroys the connections, so that waiting callers get an error now: the host may have vanished silently. */
function dropPools(pools: TwoPools): void {
  for (const pool of each(pools)) {
    pool.removeAllListeners('error')
    pool.on('error', () => {})
    for (const client of clientsOf.get(pool) ?? []) streamOf(client)?.destroy()
    void pool.end().catch(() => {})
  }
}

/** The socket is not in the driver's types. Without it, each statement is sent in a packet of its own. */
export function streamOf(client: object): Writable | null {
  const connection = 'connection' in client ? client.connection : null
  const stream =
    typeof connection === 'object' && connection !== null && 'stream' in connection ? connection.stream : null
  return stream instanceof Writable ? stream : null
}

/** Each new connection goes to the host that takes writes at that moment. If there is none, `onConnect` refuses it. */
const clientTo = (findUrl: () => string | null) =>
  class extends DatabaseClient {
    constructor(config?: pg.ClientConfig) {
      const url = findUrl()
      super(url === null ? config : { ...config, connectionString: url })
    }
  }

/** The host name may lead to another host by now, or the primary may have become a standby. */
async function assertTakesWrites(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_read_only: boolean }>(readOnlyQuestion)
  if (rows[0]?.is_read_only) throw new NoPrimaryError()
}
