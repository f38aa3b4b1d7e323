/** One pool, hand-written SQL. */
import { channel } from 'node:diagnostics_channel'
import { Writable } from 'node:stream'
import { AppError } from '@countersign/contract'
import pg from 'pg'
import { makeQueryable, type Queryable, type RunStatement } from './tenant.ts'

export { type Held, type Queryable, sayHeld, type Tenant } from './tenant.ts'
export type Transaction = Queryable

export interface Database extends Queryable {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /** A transaction in two round trips: what is read goes out together, and so does what is written. */
  inTwoTrips<State, Result>(work: TwoTrips<State, Result>): Promise<Result>
  /** A connection of its own, for what must not share one. */
  readonly url: string
  close(): Promise<void>
}

export interface TwoTrips<State, Result> {
  /** What it asks for before it waits for anything goes out with the beginning of the transaction. */
  readonly read: (transaction: Transaction) => Promise<State>
  /** Asks for all that it writes without waiting: the commit goes out with it. */
  readonly write: (transaction: Transaction, state: State) => Written<Result>
}

export interface Written<Result> {
  /** In the order in which they were asked for. */
  readonly statements: readonly Promise<unknown>[]
  readonly result: Result
}

const int8 = 20
const int8Array = 1016
export const types = new pg.TypeOverrides()
types.setTypeParser(int8, (text) => BigInt(text))
types.setTypeParser(int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))

/** Longer than any statement of ours needs, shorter than a caller waits. */
const statementTimeoutMs = 8_000
const lockTimeoutMs = 5_000
const connectTimeoutMs = 5_000

const openPool = (url: string, connections: number) =>
  new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    query_timeout: statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    application_name: 'countersign',
    keepAlive: true,
    // Statements of one connection need not wait for the answer to the one before.
    pipeline: true,
    // What names a day's partition stays prepared as long as its connection lives.
    maxLifetimeSeconds: 3_600,
  })

/** With fewer there is one pool for everything. */
const fewestToShare = 4
/** Of the connections, for what people ask and upkeep does. */
const shareOfOthers = 0.25
/** A transaction may ask something beside itself. */
const fewestOfOthers = 2

/**
 * Statements with a name are those of every send, guess, message and event. They have connections of their own, which
 * plan each of them once: PostgreSQL would otherwise plan it five times on every connection before it keeps a plan.
 */
function openPools(
  url: string,
  connections: number,
): { readonly prepared: pg.Pool; readonly others: pg.Pool } {
  const others = Math.max(fewestOfOthers, Math.floor(connections * shareOfOthers))
  if (connections < fewestToShare) {
    const pool = openPool(url, connections)
    return { prepared: pool, others: pool }
  }
  const prepared = openPool(url, connections - others)
  prepared.on('connect', (client) => {
    // Where it fails the connection is lost, and whoever uses it hears of that.
    client.query('set plan_cache_mode = force_generic_plan').catch(() => {})
  })
  return { prepared, others: openPool(url, others) }
}

export function openDatabase(url: string, connections: number, onError: (error: Error) => void): Database {
  const { prepared, others } = openPools(url, connections)
  const pools = new Set([prepared, others])
  let isClosing = false
  // A connection that is being closed may still hear that the server goes away too.
  const onLost = (error: Error) => {
    if (!isClosing) onError(error)
  }
  for (const pool of pools) pool.on('error', onLost)

  const run: RunStatement = async (statement) => {
    tell(statement.text)
    try {
      return await (statement.name ? prepared : others).query(statement)
    } catch (error) {
      throw asUnavailable(error)
    }
  }
  async function withClient<Result>(
    pool: pg.Pool,
    work: (client: pg.PoolClient) => Promise<Result>,
  ): Promise<Result> {
    const client = await pool.connect().catch((error: unknown) => Promise.reject(asUnavailable(error)))
    // The pool listens to idle connections only; an error event that nobody hears ends the process.
    client.on('error', onLost)
    let isBroken = false
    try {
      return await work(client)
    } catch (error) {
      isBroken =
        isConnectionLost(error) ||
        (await client.query('rollback').then(
          () => false,
          () => true,
        ))
      throw asUnavailable(error)
    } finally {
      client.release(isBroken)
      client.off('error', onLost)
    }
  }
  return {
    url,
    ...makeQueryable(run),
    transaction: (work) =>
      withClient(others, async (client) => {
        await client.query('begin')
        const result = await work(makeQueryable(inTransaction(client)))
        await client.query('commit')
        return result
      }),
    inTwoTrips: ({ read, write }) =>
      withClient(prepared, async (client) => {
        const [begun, state] = inOnePacket(client, () => [
          client.query('begin'),
          read(makeQueryable(inTransaction(client))),
        ])
        const [, readState] = await inOrder([begun, state])
        let isOver = false
        const running = inTransaction(client)
        const open = makeQueryable((statement) => {
          if (isOver) throw new Error('a statement that comes after the commit')
          return running(statement)
        })
        const [written, committed] = inOnePacket(client, () => [
          write(open, readState),
          client.query('commit'),
        ])
        isOver = true
        await inOrder([...written.statements, committed])
        return written.result
      }),
    async close() {
      isClosing = true
      await Promise.all([...pools].map((pool) => pool.end()))
    },
  }
}

const inTransaction =
  (client: pg.PoolClient): RunStatement =>
  (statement) => {
    tell(statement.text)
    return client.query(statement)
  }

/** The messages of several statements leave in one system call. */
function inOnePacket<Result>(client: pg.PoolClient, ask: () => Result): Result {
  const stream = streamOf(client)
  stream?.cork()
  try {
    return ask()
  } finally {
    stream?.uncork()
  }
}

/** The driver does not declare it; without it each statement has a packet of its own. */
function streamOf(client: object): Writable | null {
  const connection = 'connection' in client ? client.connection : null
  const stream =
    typeof connection === 'object' && connection !== null && 'stream' in connection ? connection.stream : null
  return stream instanceof Writable ? stream : null
}

/**
 * Statements that were asked for together. If one fails, so do those after it in its transaction: the first in their
 * order is the reason.
 */
export async function inOrder<const Statements extends readonly unknown[]>(
  statements: Statements,
): Promise<{ -readonly [Place in keyof Statements]: Awaited<Statements[Place]> }> {
  const failed = (await Promise.allSettled(statements)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return Promise.all(statements)
}

const statements = channel('countersign:statement')

/** For whoever wants to know what is asked of the database; nobody listens to it here. */
function tell(text: string): void {
  if (statements.hasSubscribers) statements.publish(text)
}

/** A rollback on such a connection would only wait as long again; PostgreSQL rolls back by itself when it closes. */
const isConnectionLost = (error: unknown) =>
  !(error instanceof AppError) &&
  !(error instanceof pg.DatabaseError) &&
  asUnavailable(error) instanceof AppError

/** Classes of SQLSTATE that say "not now": connection, resources, shutdown, lock or deadlock. */
const passingStates = /^(08|53|57P|55P03|57014|40001|40P01|25006|25P03)/

export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const isPassing =
    passingStates.test(code) ||
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code) ||
    /timeout|Connection terminated|Client has encountered a connection error|Cannot use a pool after/i.test(
      error.message,
    )
  if (!isPassing) return error
  const unavailable = new AppError(
    'UnavailableError',
    'The database does not answer right now. Try again shortly.',
    { retry_after: 1 },
  )
  return Object.assign(unavailable, { cause: error })
}

const lockTimeout = '55P03'
const deadlock = '40P01'
const hasState = (error: unknown, ...states: string[]) =>
  error instanceof AppError &&
  error.cause instanceof pg.DatabaseError &&
  states.includes(error.cause.code ?? '')

/** Somebody else had a row for longer than the statement was willing to wait. */
export const isLockTimeout = (error: unknown): boolean => hasState(error, lockTimeout)
/** One row was in the way of the statement, not the database of everybody. */
export const isContended = (error: unknown): boolean => hasState(error, lockTimeout, deadlock)

/**
 * A statement that carries something along which must not be why it fails: tried once more without it. What
 * the database says in the sense of "not now" is not tried again.
 */
export async function unlessBroken<Result>(
  run: (isWhole: boolean) => Promise<Result>,
  onBroken: (error: unknown) => void = () => {},
): Promise<Result> {
  return run(true).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    onBroken(error)
    return run(false)
  })
}

/** The time, for what is looked up by it: what may answer anew for each row cannot be asked of an index. */
export const timeNow = '(select clock_timestamp())'

/**
 * The status of the row that its key has found. Asked plainly, PostgreSQL looks for it along the index of what is
 * queued, through all that was queued since the last vacuum: a hundred times as long under load.
 */
export const isStill = (status: string) => `status || '' = '${status}'`

/** Rows into one array per column, for `unnest`. */
export function columnsOf<Row extends object>(
  rows: readonly Row[],
  names: readonly (keyof Row)[],
): unknown[] {
  return names.map((name) => rows.map((row) => row[name]))
}
