/** What every role stands on: the database, its keys, the accounts of providers, receipts, what is remembered. */
import { createPriceReader, type ReadPrices } from '../domain/billing/index.ts'
import {
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
import { createDirectory, type Directory, KeyUses, type Principal } from '../domain/tenancy/index.ts'
import { type Clock, DatabaseClock } from '../platform/clock.ts'
import { loadKeyring, prepareDataKeys } from '../platform/data-keys.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import type { Keyring } from '../platform/keyring.ts'
import { describeError, type Log } from '../platform/log.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import { makePartitions } from '../platform/partitions.ts'
import { ChangeWatch } from '../platform/remember.ts'
import { createSafeDoor, type SafeDoor } from '../platform/safe-post.ts'
import { loadSigningKeys, prepareSigningKeys, type SigningKeys } from '../platform/signing-keys.ts'
import { operatorOwner } from '../platform/tenant.ts'
import { startHealthWriter } from '../worker/account-health.ts'
import { ReceiptDesk } from '../worker/receipts.ts'
import { type RouteWriter, startRouteWriter } from '../worker/routes.ts'
import type { Opening } from './opening.ts'

export interface Core {
  readonly log: Log
  readonly metrics: Metrics
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly signingKeys: () => SigningKeys
  readonly reputation: Awaited<ReturnType<typeof watchReputation>>
  readonly door: SafeDoor
  readonly receipts: ReceiptDesk
  /** Writes receipts, many in one statement. */
  readonly book: ReceiptBook
  readonly providers: Registry
  /** What this node sees of accounts, until it is written. */
  readonly health: HealthBook
  /** What this node sees of routes, until it is written. */
  readonly routeBook: RouteBook
  readonly routeKnowledge: RouteKnowledge
  readonly writeRoutes: RouteWriter['write']
  /** Hears what providers said of their messages. */
  readonly onSpoken: ReceiptDependencies['onSpoken']
  readonly directory: Directory
  readonly noteKeyError: (principal: Principal) => void
  readonly prices: ReadPrices
  /** This node need not wait for the poll to know its own changes. */
  readonly forget: () => void
}

export async function openCore(opening: Opening): Promise<Core> {
  const { options, closers } = opening
  const { log } = options
  const metrics = options.metrics ?? createMetrics()
  const clock = new DatabaseClock()
  const { database, keyring, signingKeys, reloadKeys } = await openStore(opening)
  const reputation = await openReputation(opening)
  metrics.watchIpSources(reputation.sources)
  const door = createSafeDoor(options.door)
  closers.add('connections', 'connections to endpoints', door.close)
  const book = createReceiptBook({ database, clock })
  const health = new HealthBook()
  const routeBook = new RouteBook()
  const { receipts, providers, onSpoken } = openProviders(opening, {
    database,
    clock,
    keyring,
    door,
    book,
    health,
    routeBook,
  })
  const healthWriter = startHealthWriter({ database, health, providers, metrics, log })
  const watch = new ChangeWatch(
    database,
    clock,
    async () => {
      await reloadKeys()
      await providers.reload()
    },
    (error) => log('warn', 'reading the changes failed', describeError(error)),
  )
  closers.add('connections', 'changes', () => watch.close())
  // A stage after the connections, so that what the last of them said is written too.
  closers.add('receipts', 'states of accounts', healthWriter.close)
  await watch.start()
  const keyUses = new KeyUses(database, clock, (error) =>
    log('warn', 'when keys were used could not be written', describeError(error)),
  )
  closers.add('connections', 'uses of keys', () => keyUses.close())
  const directory = createDirectory(database, watch, (principal) => keyUses.note(principal))
  const noteKeyError = (principal: Principal) => keyUses.noteError(principal)
  const prices = createPriceReader(database, watch)
  const routeWriter = startRouteWriter({ database, clock, routeBook, providers, directory, log })
  // A stage after the connections, as above.
  closers.add('receipts', 'what is known of routes', routeWriter.close)
  const { forget } = watch
  return {
    log,
    metrics,
    database,
    clock,
    keyring,
    signingKeys,
    reputation,
    door,
    receipts,
    book,
    providers,
    health,
    routeBook,
    routeKnowledge: new RouteKnowledge(database),
    writeRoutes: routeWriter.write,
    onSpoken,
    directory,
    noteKeyError,
    prices,
    forget,
  }
}

/** Ready to be written to: there is room for what comes, and the keys can be read. */
async function openStore({ options, closers }: Opening) {
  const { log, masterKeys } = options
  const database = openDatabase(options.databaseUrl, options.databaseConnections, (error) =>
    log('warn', 'a database connection was lost', describeError(error)),
  )
  closers.add('database', 'connections of the database', database.close)
  await makePartitions(database)
  await prepareDataKeys(database, masterKeys)
  let keys = await loadKeyring(database, masterKeys)
  await prepareSigningKeys(database, keys, Date.now())
  let signing = await loadSigningKeys(database, keys)
  return {
    database,
    keyring: () => keys,
    signingKeys: () => signing,
    reloadKeys: async () => {
      keys = await loadKeyring(database, masterKeys)
      signing = await loadSigningKeys(database, keys, signing.byKid)
    },
  }
}

/** Only a node that answers calls needs the lists of addresses. */
async function openReputation({ options, duties, closers }: Opening): Promise<Core['reputation']> {
  const { log } = options
  const reputation = await watchReputation(duties.answersCalls ? options.ipSourcesFile : null, {
    cacheFolder: options.ipListsFolder ?? null,
    onChange: ({ name, problem }) =>
      problem === null
        ? log('info', 'an IP list is in order again', { source: name })
        : log('warn', 'an IP list cannot be relied on', { source: name, problem }),
    onUnkept: (error) => log('warn', 'a downloaded IP list could not be kept', describeError(error)),
  })
  closers.add('connections', 'IP lists', reputation.close)
  return reputation
}

/** Receipts know accounts and accounts bring receipts, so the two are opened together. */
function openProviders(
  { options, duties, closers }: Opening,
  {
    database,
    clock,
    keyring,
    door,
    book,
    health,
    routeBook,
  }: Pick<Core, 'database' | 'clock' | 'keyring' | 'door' | 'book' | 'health' | 'routeBook'>,
): Pick<Core, 'receipts' | 'providers' | 'onSpoken'> {
  const { log } = options
  const onSpoken: Core['onSpoken'] = ({ isReply, isDelivered, ms, ...route }) => {
    health.received(providers.find(route.providerId), isDelivered, ms)
    if (!isReply) routeBook.received(route, isDelivered, ms, clock.nowMs())
  }
  const receipts = new ReceiptDesk((providerId, receipt) => {
    const companyId = providers.find(providerId)?.companyId ?? operatorOwner
    const dependencies = { database, clock, keyring, book, onSpoken }
    return receiveReceipt(dependencies, { companyId, providerId }, receipt)
  }, log)
  // A stage after the accounts: what still comes over their connections is recorded.
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
  return { receipts, providers, onSpoken }
}
