import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './cluster.ts'
import { databaseUser } from './create-cluster.ts'
import { readPidFile, sendSignal } from './pid-file.ts'

const databaseName = 'countersign'
const lockKeys = [0x636f756e, 0x74657273] as const
const lockLimitMs = 3_000
const lockRetryMs = 100
const connectLimitMs = 20_000

export function databaseUrl(cluster: Cluster, port: number, database = databaseName): string {
  return `postgres://${databaseUser}:${cluster.password}@127.0.0.1:${port}/${database}`
}

export class FolderInUseError extends Error {
  constructor(dataDir: string) {
    super(
      `Another Countersign is running on ${dataDir}: stop it first, or give this one another folder with DATA_DIR.`,
    )
    this.name = 'FolderInUseError'
  }
}

/** A session that holds the lock on the folder: while it is connected, no other server process gets in. */
export type Ownership = { readonly lost: Promise<void>; release(): Promise<void> }

export async function takeOwnership(cluster: Cluster, port: number): Promise<Ownership> {
  await createDatabaseIfMissing(cluster, port)
  const client = await connect(cluster, port, databaseName)
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()))
  // The session of an owner that was killed can outlive it by a moment.
  const deadline = Date.now() + lockLimitMs
  try {
    while (!(await tryLock(client))) {
      if (Date.now() > deadline) throw new FolderInUseError(cluster.dataDir)
      await sleep(lockRetryMs)
    }
    const letGo = await endWithUs(cluster)
    void lost.then(letGo)
    return {
      lost,
      release: async () => {
        letGo()
        await client.end().catch(() => undefined)
      },
    }
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

/** Stops PostgreSQL when this process exits without closing it. Returns a function that undoes this. */
async function endWithUs(cluster: Cluster): Promise<() => void> {
  const running = await readPidFile(cluster)
  const end = () => running && sendSignal(running.pid, 'SIGINT')
  process.once('exit', end)
  return () => process.off('exit', end)
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
    ...lockKeys,
  ])
  return rows[0]?.locked === true
}

async function createDatabaseIfMissing(cluster: Cluster, port: number): Promise<void> {
  const client = await connect(cluster, port, 'postgres')
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
    if (rowCount === 0) await client.query(`create database ${databaseName}`)
  } catch (error) {
    // duplicate_database or unique_violation: another process created it at the same moment.
    const code = error instanceof pg.DatabaseError ? error.code : undefined
    if (code !== '42P04' && code !== '23505') throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function connect(cluster: Cluster, port: number, database: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl(cluster, port, database),
    keepAlive: true,
    connectionTimeoutMillis: connectLimitMs,
    application_name: 'countersign owner',
  })
  // Without a listener, losing the connection would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    // 28P01 is invalid_password.
    if (error instanceof pg.DatabaseError && error.code === '28P01')
      throw new Error(
        `The password in ${cluster.dataDir} is not that of the database: restore postgres-password.`,
      )
    throw error
  }
}
