/** Statements and transactions, over the pools of `database/pools.ts`. */
import { channel } from 'node:diagnostics_channel'
import { AppError } from '@countersign/contract'
import pg from 'pg'
import { type Sessions, wholeSessions } from './database/pooler.ts'
import { openPools, streamOf } from './database/pools.ts'
import type { SeenHost } from './database/primary.ts'
import { databaseProblemOf } from './database/problems.ts'
import { codeOf } from './error-code.ts'
import { makeQueryable, type Queryable, type RunStatement, type Statement } from './tenant.ts'
import type { PoolState } from './traffic-metrics.ts'

export { type Held, type Queryable, sayHeld, type Tenant } from './tenant.ts'
export type Transaction = Queryable

export interface Database extends Queryable {
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /** Runs a transaction in two round trips: all reads are sent together, and so are all writes. */
  inTwoTrips<State, Result>(work: TwoTrips<State, Result>): Promise<Result>
  /** For code that opens its own connection. */
  readonly url: string
  /** How many connections are in use right now. */
  readonly pools: () => readonly PoolState[]
  /** The state of each host, if there are several. */
  readonly seenHosts: () => readonly SeenHost[]
  close(): Promise<void>
}

interface TwoTrips<State, Result> {
  /** A round trip before the two, to wait for a lock that somebody else probably holds. */
  readonly wait?: ((transaction: Transaction) => Promise<void>) | undefined
  /** The statements that it issues before its first `await` are sent together with the `begin`. */
  readonly read: (transaction: Transaction) => Promise<State>
  /** Issues all its statements without awaiting any, so that the commit is sent with them. */
  readonly write: (transaction: Transaction, state: State) => Written<Result>
}

interface Written<Result> {
  /** In the order in which they were issued. */
  readonly statements: readonly Promise<unknown>[]
  readonly result: Result
}

export interface DatabaseOptions {
  /** What connections keep between transactions; a pooler may keep less. */
  readonly sessions?: Sessions | undefined
  /** Called with every error of a statement or a connection. */
  readonly onTrouble?: (error: unknown) => void
  /** With several hosts: called with the state of each, whenever one changes. */
  readonly onSeen?: (seen: readonly SeenHost[]) => void
}

export function openDatabase(
  url: string,
  connections: number,
  hearLost: (error: Error) => void,
  { sessions = wholeSessions, onTrouble = () => {}, onSeen = () => {} }: DatabaseOptions = {},
): Database {
  let isClosing = false
  // While a connection is being closed, it may still report that the server goes away too.
  const onLost = (error: Error) => {
    if (isClosing) return
    hearLost(error)
    onTrouble(error)
    pools.doubt()
  }
  const pools = openPools(url, connections, { sessions, onLost, onSeen })
  const unavailable = (error: unknown) => {
    if (!isClosing && !(error instanceof AppError)) {
      onTrouble(error)
      if (databaseProblemOf(error)) pools.doubt()
    }
    return asUnavailable(error)
  }

  const asKept = sessions.keepStatements ? asItIs : withoutName

  const run: RunStatement = async (statement) => {
    publishStatement(statement.text)
    try {
      const { prepared, others } = await pools.get()
      return await (statement.name ? prepared : others).query(asKept(statement))
    } catch (error) {
      throw unavailable(error)
    }
  }
  async function withClient<Result>(
    kind: 'prepared' | 'others',
    work: (client: pg.PoolClient) => Promise<Result>,
  ): Promise<Result> {
    const connecting = pools.get().then((open) => open[kind].connect())
    const client = await connecting.catch((error: unknown) => Promise.reject(unavailable(error)))
    // The pool listens for errors of idle connections only, and an error event without a listener ends the process.
    client.on('error', onLost)
    let isBroken = false
    try {
      return await work(client)
    } catch (error) {
      isBroken =
        isConnectionLost(error) ||
        codeOf(error) === readOnlyTransaction ||
        (await client.query('rollback').then(
          () => false,
          () => true,
        ))
      throw unavailable(error)
    } finally {
      client.release(isBroken)
      client.off('error', onLost)
    }
  }
  return {
    url,
    pools: () => pools.usage(),
    seenHosts: () => pools.seenHosts(),
    ...makeQueryable(run),
    transaction: (work) => withClient('others', (client) => transact(client, asKept, work)),
    inTwoTrips: (work) => withClient('prepared', (client) => takeTwoTrips(client, asKept, work)),
    async close() {
      isClosing = true
      await pools.close()
    },
  }
}

async function transact<Result>(
  client: pg.PoolClient,
  asKept: AsKept,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  await client.query('begin')
  const result = await work(makeQueryable(inTransaction(client, asKept)))
  await client.query('commit')
  return result
}

async function takeTwoTrips<State, Result>(
  client: pg.PoolClient,
  asKept: AsKept,
  { wait, read, write }: TwoTrips<State, Result>,
): Promise<Result> {
  const transaction = makeQueryable(inTransaction(client, asKept))
  const begin = () => client.query('begin')
  if (wait) await inOrder(inOnePacket(client, () => [begin(), wait(transaction)]))
  const [, state] = await inOrder(inOnePacket(client, () => [wait ? null : begin(), read(transaction)]))
  let isOver = false
  const running = inTransaction(client, asKept)
  const open = makeQueryable((statement) => {
    if (isOver) throw new Error('a statement that comes after the commit')
    return running(statement)
  })
  const [written, committed] = inOnePacket(client, () => [write(open, state), client.query('commit')])
  isOver = true
  await inOrder([...written.statements, committed])
  return written.result
}

const inTransaction =
  (client: pg.PoolClient, asKept: AsKept): RunStatement =>
  (statement) => {
    publishStatement(statement.text)
    return client.query(asKept(statement))
  }

type AsKept = (statement: Statement) => Statement
const asItIs: AsKept = (statement) => statement
/** For poolers: the next transaction may not find a prepared statement, so none is prepared. */
const withoutName: AsKept = ({ name: _, ...statement }) => statement

/** Sends the messages of several statements in one system call. */
function inOnePacket<Result>(client: pg.PoolClient, ask: () => Result): Result {
  const stream = streamOf(client)
  stream?.cork()
  try {
    return ask()
  } finally {
    stream?.uncork()
  }
}

/**
 * Awaits statements that were issued together. When one fails, all after it in the transaction fail too, so the first
 * failure in their order is the cause, and is thrown.
 */
export async function inOrder<const Statements extends readonly unknown[]>(
  statements: Statements,
): Promise<{ -readonly [Index in keyof Statements]: Awaited<Statements[Index]> }> {
  const failed = (await Promise.allSettled(statements)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return Promise.all(statements)
}

const statements = channel('countersign:statement')

/** Lets tests and tools see the statements; the service itself does not subscribe. */
function publishStatement(text: string): void {
  if (statements.hasSubscribers) statements.publish(text)
}

/** The server behind a connection no longer takes writes. The same address may lead to another server by now. */
const readOnlyTransaction = '25006'

/** A rollback on a lost connection would only time out too; PostgreSQL rolls back when the connection closes. */
const isConnectionLost = (error: unknown) =>
  !(error instanceof AppError) &&
  !(error instanceof pg.DatabaseError) &&
  asUnavailable(error) instanceof AppError

/**
 * SQLSTATEs that mean "not now" for rows, one statement or one connection: resources, a lock, a deadlock, a timeout, an
 * idle transaction, a database that does not accept connections.
 */
const passingStates = /^(53|55P03|55000|57014|40001|40P01|25P03)/

/** After the clock has jumped, rows have no partition until a worker has made those of the new days, within seconds. */
const hasNoPartition = (error: Error) =>
  error instanceof pg.DatabaseError && error.code === '23514' && error.constraint === undefined

export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const isPassing =
    databaseProblemOf(error) !== null ||
    passingStates.test(codeOf(error) ?? '') ||
    hasNoPartition(error) ||
    /Cannot use a pool after/i.test(error.message)
  if (!isPassing) return error
  const unavailable = new AppError(
    'UnavailableError',
    'The database does not answer right now. Try again shortly.',
    { retry_after: 1 },
  )
  return Object.assign(unavailable, { cause: error })
}

export const isUnavailable = (error: unknown): error is AppError =>
  error instanceof AppError && error.errorName === 'UnavailableError'

const lockTimeout = '55P03'
const deadlock = '40P01'
const hasState = (error: unknown, ...states: string[]) =>
  error instanceof AppError &&
  error.cause instanceof pg.DatabaseError &&
  states.includes(error.cause.code ?? '')

/** Somebody else held a row for longer than the statement was willing to wait. */
export const isLockTimeout = (error: unknown): boolean => hasState(error, lockTimeout)
/** A locked row stopped the statement; the database itself is fine. */
export const isContended = (error: unknown): boolean => hasState(error, lockTimeout, deadlock)
/** Like `isContended`, for the driver's own error. PostgreSQL names a locked row in `where`, but not a locked table. */
export const isRowInTheWay = (thrown: unknown): boolean =>
  thrown instanceof pg.DatabaseError &&
  (thrown.code === deadlock || (thrown.code === lockTimeout && thrown.where !== undefined))

/**
 * Runs a statement with an optional part that must not make it fail: if the statement breaks, it is run once more
 * without that part. If the database is unavailable, it is not run again.
 */
export async function unlessBroken<Result>(
  run: (hasOptionalPart: boolean) => Promise<Result>,
  onBroken: (error: unknown) => void = () => {},
): Promise<Result> {
  return run(true).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    onBroken(error)
    return run(false)
  })
}

/** The time, as a subquery: PostgreSQL uses no index for `clock_timestamp()` itself, which may differ for each row. */
export const timeNow = '(select clock_timestamp())'

/**
 * SQL that checks the status of a row that is found by its key. With a plain comparison PostgreSQL would use the index
 * of queued rows, through everything that was queued since the last vacuum: a hundred times slower under load.
 */
export const isStill = (status: string) => `status || '' = '${status}'`
