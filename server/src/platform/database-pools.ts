/** The connections to the database: how each is opened, to which host, and how they are shared out. */
import { Writable } from 'node:stream'
import pg from 'pg'
import { hostsOf } from './database-hosts.ts'
import { NoPrimaryError } from './database-problems.ts'
import { type Sessions, sessionSettings, statementTimeoutMs } from './pooler.ts'
import { Primary, readOnlyQuestion, type SeenHost } from './primary.ts'
import type { PoolState } from './traffic-metrics.ts'

const int8 = 20
const int8Array = 1016
export const types = new pg.TypeOverrides()
types.setTypeParser(int8, (text) => BigInt(text))
types.setTypeParser(int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))

const connectTimeoutMs = 5_000

const openPool = (url: string, connections: number, more: pg.PoolConfig) =>
  new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + 2_000,
    application_name: 'countersign',
    keepAlive: true,
    // Statements of one connection need not wait for the answer to the one before.
    pipeline: true,
    // What names a day's partition stays prepared as long as its connection lives.
    maxLifetimeSeconds: 3_600,
    // A new connection plans every statement anew, so one that waits for the next burst is kept.
    idleTimeoutMillis: 60_000,
    ...more,
  })

/** With fewer there is one pool for everything. */
const fewestToShare = 4
/** The share of the connections for what people look at and for upkeep. */
const shareOfOthers = 0.25
/** While a transaction uses one connection, its caller may query over another. */
const fewestOfOthers = 2

/**
 * Statements with a name are those of every send, guess, message and event. They have connections of their own, which
 * plan each of them once: PostgreSQL would otherwise plan it five times on every connection before it keeps a plan.
 */
interface TwoPools {
  readonly prepared: pg.Pool
  readonly others: pg.Pool
}

/** The open connections of each pool, to destroy them at once. */
const clientsOf = new WeakMap<pg.Pool, Set<pg.PoolClient>>()

export interface Pools {
  readonly get: () => Promise<TwoPools>
  /** Something went wrong: the hosts are asked again at once, where there are several. */
  readonly doubt: () => void
  readonly seenHosts: () => readonly SeenHost[]
  /** How the connections are used right now. */
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
    // Behind a pooler the setting would stay with a session that others use next.
    if (!sessions.keepSettings) return { prepared, others: openPool(url, others, more) }
    prepared.on('connect', (client) => {
      // Where it fails the connection is lost, and whoever uses it hears of that.
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

/** Whoever waits for an answer over one of them is told now: the host may be gone without a word. */
function dropPools(pools: TwoPools): void {
  for (const pool of each(pools)) {
    pool.removeAllListeners('error')
    pool.on('error', () => {})
    for (const client of clientsOf.get(pool) ?? []) streamOf(client)?.destroy()
    void pool.end().catch(() => {})
  }
}

/** Not in the driver's types. Where it is missing, each statement is sent in a packet of its own. */
export function streamOf(client: object): Writable | null {
  const connection = 'connection' in client ? client.connection : null
  const stream =
    typeof connection === 'object' && connection !== null && 'stream' in connection ? connection.stream : null
  return stream instanceof Writable ? stream : null
}

/** Each connection goes to the host that takes writes at that moment. Where none does, `onConnect` refuses it. */
const clientTo = (findUrl: () => string | null) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const url = findUrl()
      super(url === null ? config : { ...config, connectionString: url })
    }
  }

/** The name may lead to another host by now, or the primary may have become a standby. */
async function assertTakesWrites(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_read_only: boolean }>(readOnlyQuestion)
  if (rows[0]?.is_read_only) throw new NoPrimaryError()
}
