/** Opens what every role needs: the database, its keys, provider accounts, receipts, caches. */
import {
  Circuits,
  createReceiptBook,
  type ReceiptBook,
  type ReceiptDependencies,
  receiveReceipt,
} from '../domain/delivery/index.ts'
import { watchReputation } from '../domain/guard/index.ts'
import {
  createRegistry,
  HealthBook,
  type Registry,
  RouteBook,
  RouteKnowledge,
} from '../domain/routing/index.ts'
import { type Clock, DatabaseClock } from '../platform/clock.ts'
import { loadKeyring, prepareDataKeys } from '../platform/data-keys.ts'
import { DatabaseHealth } from '../platform/database/health.ts'
import { causeOf } from '../platform/database/problems.ts'
import { openReadDatabase, type ReadDatabase } from '../platform/database/read-database.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import type { Keyring } from '../platform/keyring.ts'
import { describeError, type Log, type Warn } from '../platform/log.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import { startTracer } from '../platform/otlp.ts'
import { makePartitions } from '../platform/partitions.ts'
import { createSafeDoor, type SafeDoor } from '../platform/safe-post.ts'
import { loadSigningKeys, prepareSigningKeys, type SigningKeys } from '../platform/signing-keys.ts'
import { operatorOwner } from '../platform/tenant.ts'
import type { Tracer } from '../platform/trace.ts'
import { startHealthWriter } from '../worker/account-health.ts'
import { ReceiptDesk } from '../worker/receipts.ts'
import { type RouteWriter, startRouteWriter } from '../worker/routes.ts'
import { hearReceipts } from './hear-receipts.ts'
import { openRemembered, type Remembered } from './open-remembered.ts'
import type { Opening } from './opening.ts'

export interface Core extends Remembered {
  readonly log: Log
  readonly warn: Warn
  readonly metrics: Metrics
  /** Null unless a collector for traces is configured. */
  readonly tracer: Tracer | null
  readonly database: Database
  /** Knows what is wrong with the database. */
  readonly databaseHealth: DatabaseHealth
  /** The database from which lists and figures are read. */
  readonly reading: ReadDatabase
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly signingKeys: () => SigningKeys
  readonly reputation: Awaited<ReturnType<typeof watchReputation>>
  readonly door: SafeDoor
  readonly receipts: ReceiptDesk
  /** Writes receipts, many in one statement. */
  readonly receiptBook: ReceiptBook
  readonly providers: Registry
  /** What this node has seen of accounts and not written yet. */
  readonly health: HealthBook
  /** Tracks which accounts this node does not use for a while. */
  readonly circuits: Circuits
  /** What this node has seen of routes and not written yet. */
  readonly routeBook: RouteBook
  readonly routeKnowledge: RouteKnowledge
  readonly writeRoutes: RouteWriter['write']
  /** Called with each receipt that was applied. */
  readonly onApplied: ReceiptDependencies['onApplied']
}

export async function openCore(opening: Opening): Promise<Core> {
  const { options, closers } = opening
  const { log } = options
  const metrics = options.metrics ?? createMetrics()
  const tracer = options.trace ? startTracer(options.trace, options.role, log) : null
  // In the last stage, so that spans of the stop itself are sent too.
  if (tracer) closers.add('database', 'traces', tracer.close)
  const clock = new DatabaseClock()
  const { database, databaseHealth, keyring, signingKeys, reloadKeys } = await openStore(opening, metrics)
  const { warn } = databaseHealth
  const { databaseReadUrl: url, databaseConnections: connections } = options
  const reading = openReadDatabase(database, { url, connections, clock, log })
  closers.add('database', 'connections of the standby', reading.close)
  metrics.watchReading(reading.lagSeconds)
  const reputation = await openReputation(opening)
  metrics.watchIpSources(reputation.sources)
  metrics.watchPools(database.pools)
  const door = createSafeDoor(options.door)
  closers.add('connections', 'connections to endpoints', door.close)
  const receiptBook = createReceiptBook({ database, clock })
  const health = new HealthBook()
  const circuits = new Circuits()
  const routeBook = new RouteBook()
  const opened = { metrics, tracer, database, clock, keyring, door, receiptBook, health, circuits, routeBook }
  const { receipts, providers, onApplied } = openProviders(opening, opened)
  const healthWriter = startHealthWriter({ database, health, providers, metrics, log, warn })
  // A stage after the connections, so that their last states are written too.
  closers.add('receipts', 'states of accounts', healthWriter.close)
  const reload = async () => {
    await reloadKeys()
    await providers.reload()
  }
  const remembered = await openRemembered(opening, { database, clock, warn, reload })
  const { directory } = remembered
  const routeWriter = startRouteWriter({ database, clock, routeBook, providers, directory, log })
  // A stage after the connections, for the same reason.
  closers.add('receipts', 'what is known of routes', routeWriter.close)
  return {
    ...opened,
    log,
    warn,
    databaseHealth,
    reading,
    signingKeys,
    reputation,
    receipts,
    providers,
    routeKnowledge: new RouteKnowledge(database),
    writeRoutes: routeWriter.write,
    onApplied,
    ...remembered,
  }
}

/** Opens the database ready for writes: partitions exist, and the keys can be read. */
async function openStore({ options, closers }: Opening, metrics: Metrics) {
  const { masterKeys } = options
  const { database, databaseHealth } = openWatched(options, metrics)
  closers.add('database', 'connections of the database', database.close)
  closers.add('receipts', 'the watch over the database', () => databaseHealth.close())
  await makePartitions(database)
  await prepareDataKeys(database, masterKeys)
  let keys = await loadKeyring(database, masterKeys)
  await prepareSigningKeys(database, keys)
  let signing = await loadSigningKeys(database, keys)
  return {
    database,
    databaseHealth,
    keyring: () => keys,
    signingKeys: () => signing,
    reloadKeys: async () => {
      keys = await loadKeyring(database, masterKeys)
      signing = await loadSigningKeys(database, keys, signing.byKid)
    },
  }
}

/** Problems of the database appear in the log, in the metrics and at /readyz. */
function openWatched(
  { log, databaseUrl, databaseConnections, sessions }: Opening['options'],
  metrics: Metrics,
): Pick<Core, 'database' | 'databaseHealth'> {
  const database = openDatabase(
    databaseUrl,
    databaseConnections,
    (error) =>
      log('warn', 'a database connection was lost', { ...describeError(error), code: causeOf(error) }),
    {
      sessions,
      onTrouble: (error) => databaseHealth.note(error),
      onSeen: (seen) => {
        const said = seen.map(({ host, state }) => `${host} ${state}`).join(', ')
        const isGood = seen.some(({ state }) => state === 'primary')
        log(isGood ? 'info' : 'error', 'the hosts of the database were looked at', { hosts: said })
      },
    },
  )
  const databaseHealth = new DatabaseHealth(database, { log, metrics })
  metrics.watchDatabaseHosts(database.seenHosts)
  return { database, databaseHealth }
}

/** Only a node that answers calls needs the IP lists. */
async function openReputation({ options, duties, closers }: Opening): Promise<Core['reputation']> {
  const { log } = options
  const reputation = await watchReputation(duties.answersCalls ? options.ipSourcesFile : null, {
    cacheFolder: options.ipListsFolder,
    onChange: ({ name, problem }) =>
      problem === null
        ? log('info', 'an IP list is in order again', { source: name })
        : log('warn', 'an IP list cannot be relied on', { source: name, problem }),
    onUnkept: (error) => log('warn', 'a downloaded IP list could not be kept', describeError(error)),
  })
  closers.add('connections', 'IP lists', reputation.close)
  return reputation
}

/** What receipts and accounts are opened with. */
type OpenedBefore = Pick<
  Core,
  | 'metrics'
  | 'tracer'
  | 'database'
  | 'clock'
  | 'keyring'
  | 'door'
  | 'receiptBook'
  | 'health'
  | 'circuits'
  | 'routeBook'
>

/** Receipts need accounts, and accounts deliver receipts, so the two are opened together. */
function openProviders(
  { options, duties, closers }: Opening,
  opened: OpenedBefore,
): Pick<Core, 'receipts' | 'providers' | 'onApplied'> {
  const { log } = options
  const { database, keyring, door } = opened
  const findListener: Registry['findListener'] = (providerId) => providers.findListener(providerId)
  const onApplied = hearReceipts({ ...opened, log, findListener })
  const dependencies = { ...opened, onApplied }
  const receipts = new ReceiptDesk((providerId, receipt) => {
    const companyId = findListener(providerId)?.companyId ?? operatorOwner
    return receiveReceipt(dependencies, { companyId, providerId }, receipt)
  }, log)
  // A stage after the accounts, so that receipts which still come over their connections are recorded.
  closers.add('receipts', 'receipts', () => receipts.close())
  const providers: Registry = createRegistry({
    database,
    door,
    keyring,
    kinds: options.kinds,
    builtIn: options.builtIn(receipts.put),
    onReceipt: receipts.put,
    isPassive: !duties.runsWorker,
    log,
  })
  closers.add('connections', 'connections to providers', providers.close)
  return { receipts, providers, onApplied }
}
