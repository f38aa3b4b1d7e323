/** Two real PostgreSQL servers: a primary, and a standby that every commit waits for. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { openDatabase } from '../../src/platform/database.ts'
import { prepareBinaries } from '../../src/platform/embedded-database/binaries.ts'
import { type Cluster, prepareCluster } from '../../src/platform/embedded-database/cluster.ts'
import { freeBytesOf } from '../../src/platform/embedded-database/disk.ts'
import { pathSeenByPostgres, postgresEnvironment } from '../../src/platform/embedded-database/surroundings.ts'
import { chooseSystemUser } from '../../src/platform/embedded-database/system-user.ts'
import { findFreePort } from '../../src/platform/free-port.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { makePartitions } from '../../src/platform/partitions.ts'
import { migrationsFolder } from './database.ts'
import { until } from './fixtures.ts'

const startMs = 60_000
const startAttempts = 4

interface Server {
  readonly port: number
  readonly url: string
  readonly query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
  readonly start: () => Promise<void>
  /** Stops it at once, as a power cut would. */
  readonly crash: () => Promise<void>
}

export interface ReplicatedPair {
  readonly first: Server
  readonly second: Server
  /** A DATABASE_URL that names both servers. */
  readonly url: string
  readonly close: () => Promise<void>
}

export async function startReplicatedPair(): Promise<ReplicatedPair> {
  const root = await mkdtemp(join(tmpdir(), 'countersign-replicated-'))
  const log = () => {}
  const user = await chooseSystemUser(join(root, 'postgres'))
  const binaries = await prepareBinaries({ user, dataDir: root, log })
  const { signal } = new AbortController()
  const cluster = await prepareCluster({
    dataDir: root,
    user,
    binaries,
    durable: false,
    freeBytesOf,
    log,
    signal,
  })
  // Two copies of a cluster that was never started are the same database, so one can follow the other.
  const copy = join(root, 'second')
  await promisify(execFile)('cp', ['-Rp', cluster.dir, copy])
  const first = await startFirst(cluster, cluster.dir)
  await writeFile(join(copy, 'standby.signal'), '')
  const follows = `host=127.0.0.1 port=${first.port} user=countersign password=${cluster.password}`
  const second = await startFirst(cluster, copy, follows)
  await prepare(first)
  const url = first.url.replace(/@([^/]+)/, `@$1,127.0.0.1:${second.port}`)
  return {
    first,
    second,
    url: `${url}?target_session_attrs=read-write`,
    close: async () => {
      await first.crash()
      await second.crash()
      await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

async function prepare(first: Server): Promise<void> {
  await migrate(first.url, migrationsFolder, () => {})
  const database = openDatabase(first.url, 1, () => {})
  await makePartitions(database).finally(database.close)
  await first.query(`alter system set synchronous_standby_names = '*'`)
  await first.query('select pg_reload_conf()')
  await until('the standby to be waited for', async () => {
    const followers = await first.query<{ sync_state: string }>('select sync_state from pg_stat_replication')
    return followers.some(({ sync_state }) => sync_state === 'sync')
  })
}

/** Tries other ports, because a free port may be taken a moment later. */
async function startFirst(cluster: Cluster, dir: string, follows?: string): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server = serverAt(cluster, dir, { port: await findFreePort('127.0.0.1'), follows })
    try {
      await server.start()
      return server
    } catch (error) {
      if (attempt === startAttempts) throw error
    }
  }
}

function serverAt(
  cluster: Cluster,
  dir: string,
  { port, follows }: { readonly port: number; readonly follows: string | undefined },
): Server {
  const { user, binaries, password } = cluster
  const url = `postgresql://countersign:${password}@127.0.0.1:${port}/postgres`
  let child: ChildProcess | null = null
  const query: Server['query'] = async (text, values = []) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }
  return {
    port,
    url,
    query,
    start: async () => {
      const output = await open(`${dir}.log`, 'a')
      const started = spawn(
        binaries.postgres,
        ['-D', pathSeenByPostgres(dir, user), ...settingsOf(port, follows)],
        { ...user, cwd: dir, env: postgresEnvironment, stdio: ['ignore', output.fd, output.fd] },
      )
      child = started
      // The server must not keep the process of a failed test alive.
      started.unref()
      process.once('exit', () => started.kill('SIGQUIT'))
      await output.close()
      const answers = () =>
        query('select 1').then(
          () => true,
          () => false,
        )
      await until(
        'PostgreSQL to take connections',
        async () => {
          if (started.exitCode !== null) throw new Error(`PostgreSQL ended: see ${dir}.log`)
          return answers()
        },
        startMs,
      )
    },
    crash: async () => {
      if (!child || child.exitCode !== null) return
      child.ref()
      const ended = once(child, 'exit')
      child.kill('SIGQUIT')
      await ended
    },
  }
}

function settingsOf(port: number, follows: string | undefined): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    // A commit counts only once the standby has it too.
    synchronous_commit: 'on',
    wal_level: 'replica',
    // A standby needs at least the values that initdb wrote for the primary.
    max_connections: 100,
    max_locks_per_transaction: 256,
    shared_buffers: '64MB',
    jit: 'off',
    ...(follows ? { primary_conninfo: follows } : {}),
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
