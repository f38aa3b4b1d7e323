/** Builds every part once and knows all of them. What it opens, it closes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Receipt } from './channels/channel.ts'
import type { AnyKind } from './channels/index.ts'
import { createPriceReader } from './domain/billing/index.ts'
import { attemptDeadlineMs, Circuits, receiveReceipt, reportApproved } from './domain/delivery/index.ts'
import { Guesses, watchReputation } from './domain/guard/index.ts'
import {
  challengeBudget,
  findSignedIn,
  ownTexts,
  refusalBudget,
  relyingPartyOf,
  WindowBudget,
} from './domain/members/index.ts'
import { createRegistry, type Provider } from './domain/routing/index.ts'
import { type AppRef, createDirectory, KeyUses } from './domain/tenancy/index.ts'
import {
  batchingFor,
  createIssue,
  createJudge,
  type GuardPart,
  receiveMessage,
  type VerifyDependencies,
} from './domain/verification/index.ts'
import { createAudit } from './http/audit.ts'
import { createAuthorise } from './http/authorise.ts'
import { callbackPath, registerCallbacks } from './http/callbacks.ts'
import { loadDashboard, registerDashboard } from './http/dashboard.ts'
import { appRoutes } from './http/manage/apps.ts'
import { blockRoutes } from './http/manage/blocks.ts'
import { companyRoutes } from './http/manage/companies.ts'
import { guardRoutes } from './http/manage/guard.ts'
import { insightRoutes } from './http/manage/insight.ts'
import { memberRoutes } from './http/manage/members.ts'
import { operatorRoutes } from './http/manage/operators.ts'
import { passkeyRoutes } from './http/manage/passkeys.ts'
import { providerRoutes } from './http/manage/providers.ts'
import { signInRoutes } from './http/manage/sign-in.ts'
import { webhookRoutes } from './http/manage/webhooks.ts'
import { registerPages } from './http/pages.ts'
import { createAuthenticate } from './http/principal.ts'
import { createProofCheck } from './http/proven.ts'
import { createServer } from './http/server.ts'
import { createSessionCookie } from './http/session-cookie.ts'
import { otpRoutes } from './http/v1/otp.ts'
import { type Clock, DatabaseClock } from './platform/clock.ts'
import { type Closers, openWhole } from './platform/closers.ts'
import { loadKeyring, type MasterKeys, prepareDataKeys } from './platform/data-keys.ts'
import { type Database, openDatabase } from './platform/database.ts'
import { parseId } from './platform/ids.ts'
import type { Keyring } from './platform/keyring.ts'
import { describeError, type Log } from './platform/log.ts'
import { createMetrics } from './platform/metrics.ts'
import { makePartitions } from './platform/partitions.ts'
import { ChangeWatch } from './platform/remember.ts'
import { createSafeDoor, type SafeDoorOptions } from './platform/safe-post.ts'
import { operatorOwner } from './platform/tenant.ts'
import { within } from './platform/within.ts'
import { startBounces } from './worker/bounces.ts'
import { startDeliveryWorker } from './worker/deliveries.ts'
import { startEventSender } from './worker/events.ts'
import { startGuessWatch } from './worker/guesses.ts'
import { startPartitionMaker } from './worker/partitions.ts'
import { ReceiptDesk, startEarlyLooks } from './worker/receipts.ts'
import { startUpkeep } from './worker/upkeep.ts'

export interface AppOptions {
  readonly databaseUrl: string
  readonly databaseConnections: number
  readonly masterKeys: MasterKeys
  readonly adminToken: string
  readonly publicUrl: string
  /** Where accounts that are not in the database are called back. */
  readonly localUrl: string
  /** The built dashboard; null: the API alone. */
  readonly dashboardFolder: string | null
  /** The simulator's phones, in a sandbox. */
  readonly phonesUrl: string | null
  /** Null: bounces are not received here. */
  readonly bounce: { readonly host: string; readonly port: number } | null
  /** What customers' addresses may be. */
  readonly door: SafeDoorOptions
  /** Null: metrics are open. */
  readonly metricsToken: string | null
  readonly trustedProxies: readonly string[]
  readonly ipSourcesFile: string | null
  /** Where downloaded lists are kept; without it they are downloaded at every start. */
  readonly ipListsFolder?: string
  readonly role: 'api' | 'worker' | 'all'
  readonly retentionDays: number
  /** How long calls are still taken once it says that it stops, for balancers to notice. */
  readonly drainMs?: number
  /** Hears every few seconds what a stop still waits for. */
  readonly onStopWaits?: (names: readonly string[]) => void
  readonly log: Log
  readonly kinds: ReadonlyMap<string, AnyKind>
  /** Accounts that are not in the database: the simulator's, or a test's. */
  readonly builtIn: (
    onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
  ) => readonly Provider[]
}

export interface App {
  readonly server: FastifyInstance
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly close: () => Promise<void>
}

/**
 * How it stops: whoever has asked is answered while workers finish what they have begun, then connections and what is
 * still in memory, then the receipts that came over them, the database last.
 */
const stages = ['work', 'connections', 'receipts', 'database'] as const
/** Calls that are being answered still make messages: workers take new ones until then, but not for longer. */
const takeOnMs = 2_000
const finishMs = attemptDeadlineMs + takeOnMs + 500
const answerMs = 12_500

export const buildApp = (options: AppOptions): Promise<App> =>
  openWhole(stages, { log: options.log, onWaiting: options.onStopWaits ?? (() => {}) }, (closers) =>
    build(options, closers),
  )

async function build(
  options: AppOptions,
  closers: Closers<(typeof stages)[number]>,
): Promise<Omit<App, 'close'>> {
  const { log, publicUrl, masterKeys } = options
  let closeCalls: () => Promise<void> = async () => {}
  const afterCalls = (close: () => unknown) => async () => {
    await within(takeOnMs, closeCalls())
    await close()
  }
  const clock = new DatabaseClock()
  const metrics = createMetrics()
  const database = openDatabase(options.databaseUrl, options.databaseConnections, (error) =>
    log('warn', 'a database connection was lost', describeError(error)),
  )
  closers.add('database', 'connections of the database', database.close)
  await makePartitions(database)
  await prepareDataKeys(database, masterKeys)
  let keys = await loadKeyring(database, masterKeys)
  const keyring = () => keys
  const reputation = await watchReputation(options.role === 'worker' ? null : options.ipSourcesFile, {
    cacheFolder: options.ipListsFolder ?? null,
    onChange: ({ name, problem }) =>
      problem === null
        ? log('info', 'an IP list is in order again', { source: name })
        : log('warn', 'an IP list cannot be relied on', { source: name, problem }),
    onUnkept: (error) => log('warn', 'a downloaded IP list could not be kept', describeError(error)),
  })
  closers.add('connections', 'IP lists', reputation.close)
  metrics.watchIpSources(reputation.sources)

  const receipts = new ReceiptDesk((providerId, receipt) => {
    const companyId = providers.find(providerId)?.companyId ?? operatorOwner
    return receiveReceipt({ database, clock, keyring }, { companyId, providerId }, receipt)
  }, log)
  closers.add('receipts', 'receipts', () => receipts.close())
  const door = createSafeDoor(options.door)
  closers.add('connections', 'connections to endpoints', door.close)
  const providers = createRegistry({
    database,
    door,
    keyring,
    kinds: options.kinds,
    builtIn: options.builtIn(receipts.put),
    onReceipt: receipts.put,
    isPassive: options.role === 'api',
    log,
  })
  closers.add('connections', 'connections to providers', providers.close)
  const watch = new ChangeWatch(
    database,
    clock,
    async () => {
      keys = await loadKeyring(database, masterKeys)
      await providers.reload()
    },
    (error) => log('warn', 'reading the changes failed', describeError(error)),
  )
  closers.add('connections', 'changes', () => watch.close())
  await watch.start()
  const keyUses = new KeyUses(database, clock, (error) =>
    log('warn', 'when keys were used could not be written', describeError(error)),
  )
  closers.add('connections', 'uses of keys', () => keyUses.close())
  const directory = createDirectory(database, watch, (principal) => keyUses.note(principal))
  const prices = createPriceReader(database, watch)

  const isWorker = options.role !== 'api'
  const earlyLooks = isWorker ? startEarlyLooks({ database, clock, keyring }, log) : null
  closers.add('receipts', 'early receipts', () => earlyLooks?.close())
  const worker = isWorker
    ? startDeliveryWorker({
        database,
        keyring,
        clock,
        directory,
        providers,
        circuits: new Circuits(),
        onSent: (names) => earlyLooks?.add(names),
        callbackUrl: (providerId) =>
          `${parseId('provider', providerId) ? publicUrl : options.localUrl}${callbackPath(providerId)}`,
        ownTexts: ownTexts(`${publicUrl}/dashboard/sign-in`),
        countAttempt: metrics.countAttempt,
        metrics,
        log,
      })
    : null
  closers.add(
    'work',
    'messages under way',
    afterCalls(() => worker?.close()),
    finishMs,
  )
  const bounces =
    isWorker && options.bounce ? await startBounces(options.bounce, providers, receipts.put) : null
  closers.add('work', 'delivery reports under way', () => bounces?.close())
  const upkeep = isWorker
    ? startUpkeep({ database, clock, keyring, retentionDays: options.retentionDays, log })
    : null
  closers.add('work', 'upkeep', () => upkeep?.close())
  const partitionMaker = isWorker ? startPartitionMaker({ database, clock, metrics, log }) : null
  closers.add('work', 'partitions', () => partitionMaker?.close())
  const nudge = () => worker?.nudge()
  const sender = isWorker
    ? startEventSender(
        {
          database,
          keyring,
          clock,
          post: door.post,
          random: Math.random,
          log,
          countAttempt: metrics.countWebhookAttempt,
        },
        metrics.setPausedEndpoints,
      )
    : null
  closers.add(
    'work',
    'events under way',
    afterCalls(() => sender?.close()),
    finishMs,
  )
  const nudgeEvents = (app?: AppRef) => sender?.nudge(app)

  const countUnguarded = (error: unknown, part: GuardPart) => {
    metrics.countUnguarded(part)
    log('warn', 'a part of the guard could not be asked', { part, ...describeError(error) })
  }
  const guesses = new Guesses()
  if (options.role !== 'worker') {
    const guessWatch = startGuessWatch({
      database,
      guesses,
      setAlarms: metrics.setGuessAlarms,
      countUnguarded: (error) => countUnguarded(error, 'guessing'),
      log,
    })
    closers.add('connections', 'counts of guesses', guessWatch.close)
  }
  const issueDependencies = { database, keyring, prices, reputation, providers, nudge, countUnguarded }
  const onApproved: VerifyDependencies['onApproved'] = (app, otpId, channel) => {
    nudgeEvents(app)
    reportApproved({ database, keyring, providers }, app, otpId, channel).catch((error: unknown) =>
      log('warn', 'a conversion could not be reported', describeError(error)),
    )
  }
  const auditDependencies = {
    database,
    clock,
    keyring,
    refusals: {
      strangers: new WindowBudget(clock.nowMs, refusalBudget),
      known: new WindowBudget(clock.nowMs, refusalBudget),
    },
    onUnrecorded: (error: unknown) => log('warn', 'a refusal could not be recorded', describeError(error)),
  }
  const manageDependencies = { database, clock, keyring, prices, forget: watch.forget }
  const otpDependencies = {
    ...issueDependencies,
    clock,
    guesses,
    onApproved,
    judge: createJudge({ database, clock, countUnguarded }),
    issue: createIssue(issueDependencies, batchingFor(options.databaseConnections)),
  }
  const personDependencies = {
    ...otpDependencies,
    ...auditDependencies,
    relyingParty: relyingPartyOf(publicUrl),
    challenges: new WindowBudget(clock.nowMs, challengeBudget),
  }
  const routes = [
    ...otpRoutes(otpDependencies),
    ...signInRoutes(personDependencies),
    ...passkeyRoutes(personDependencies),
    ...operatorRoutes(manageDependencies),
    ...memberRoutes({ ...otpDependencies, publicUrl, phonesUrl: options.phonesUrl }),
    ...companyRoutes(manageDependencies),
    ...appRoutes(manageDependencies),
    ...insightRoutes({ ...manageDependencies, providers, reputation }),
    ...blockRoutes(manageDependencies),
    ...guardRoutes(manageDependencies),
    ...providerRoutes({
      ...manageDependencies,
      door,
      kinds: options.kinds,
      publicUrl,
      reload: providers.reload,
    }),
    ...webhookRoutes({ ...manageDependencies, door, nudgeEvents: () => nudgeEvents() }),
  ]
  const server = createServer({
    routes: options.role === 'worker' ? [] : routes,
    authenticate: createAuthenticate({
      directory,
      adminToken: options.adminToken,
      findSignedIn: (token) => findSignedIn({ database, keyring }, token),
    }),
    authorise: createAuthorise(database),
    assertProven: createProofCheck(database),
    audited: createAudit(auditDependencies),
    cookie: createSessionCookie(publicUrl),
    trustedProxies: options.trustedProxies,
    log,
    metrics,
  })
  registerCallbacks(server, {
    providers,
    publicUrl,
    clock,
    onReceipt: receipts.put,
    onInbound: (provider, message) =>
      receiveMessage({ database, keyring, clock, prices, nudge }, provider, message),
  })
  let answered: Promise<void> | null = null
  closeCalls = () => {
    answered ??= sleep(options.drainMs ?? 0).then(() => server.close())
    return answered
  }
  closers.add('work', 'calls under way', () => closeCalls(), answerMs)
  const dashboard =
    options.role === 'worker' || !options.dashboardFolder
      ? null
      : await loadDashboard(options.dashboardFolder)
  if (dashboard) registerDashboard(server, dashboard)
  registerPages(server, {
    metrics,
    metricsToken: options.metricsToken,
    home: dashboard ? '/dashboard' : '/docs',
    isReady: async () => answered === null && (await database.query({ text: 'select 1' })).rowCount === 1,
  })
  return { server, database, clock, keyring }
}
