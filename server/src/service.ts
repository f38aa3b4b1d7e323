/** A whole service from its config: database, secrets, simulator, app. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type App, type AppOptions, buildApp } from './app.ts'
import { type Kinds, providerKinds } from './channels/index.ts'
import type { Config } from './config.ts'
import { webauthn } from './domain/members/index.ts'
import { type Closers, openWhole } from './platform/closers.ts'
import { ConfigError } from './platform/config-error.ts'
import {
  adminTokenOf,
  databaseUrlFile,
  ipListsFolder,
  makeMasterKey,
  masterKeysOf,
  openDataFolder,
} from './platform/data-folder.ts'
import { findWeakSettings } from './platform/database/durability.ts'
import { inspectSessions, type Sessions } from './platform/database/pooler.ts'
import { openDatabase } from './platform/database.ts'
import { freeBytesOf, orFullDisk } from './platform/embedded-database/disk.ts'
import { startEmbeddedDatabase } from './platform/embedded-database.ts'
import { assertPortFree, findFreePort } from './platform/free-port.ts'
import type { Log } from './platform/log.ts'
import { migrate } from './platform/migrate.ts'
import { writePrivateFile } from './platform/private-file.ts'
import { drainsAfter } from './platform/stop-signals.ts'
import { untilAnswered } from './platform/until-answered.ts'
import { type FirstApp, findOrCreateFirstApp, makeFirstSignInLink } from './sandbox/first-app.ts'
import {
  introduceService,
  phonesUrlOf,
  type SimulatorAccess,
  simulatorProviders,
  startSimulator,
} from './sandbox/simulator.ts'

/** What is printed once the service runs. */
export interface Greeting {
  readonly firstApp: FirstApp | null
  /** A link that opens the dashboard, once. */
  readonly signInLink: string | null
}

export interface Service extends Greeting {
  readonly url: string
  readonly phonesUrl: string | null
  readonly close: () => Promise<void>
}

/**
 * What an app needs around it, started once however many processes there are. Plain values, so that they can be sent to
 * another process.
 */
export interface Surroundings {
  readonly databaseUrl: string
  readonly sessions: Sessions
  readonly port: number
  readonly bouncePort: number | null
  readonly simulator: SimulatorAccess | null
}

/** The package's folder is one level up, for the sources and for the build. */
const packageFolder = new URL('../', import.meta.url)
const migrationsFolder = fileURLToPath(new URL('migrations', packageFolder))
const dashboardFolder = fileURLToPath(new URL('../dashboard/dist', packageFolder))
const documentsFolder = fileURLToPath(new URL('../site/dist', packageFolder))
const simulatorProgram = fileURLToPath(new URL('../simulator/dist/main.js', packageFolder))

/** The app needs its surroundings until it has stopped, so it closes first. */
const stages = ['app', 'surroundings'] as const
export type ServiceClosers = Closers<(typeof stages)[number]>
/** The parts have their own limits, and the caller limits the stop as a whole. */
export const unboundedMs = 120_000
const appPart = 'the app'

export interface Starting {
  readonly log: Log
  /** Called with each step of the start, in words. */
  readonly progress: (line: string) => void
  /** Aborted when the service is told to stop before it has started. */
  readonly signal: AbortSignal
}

export const startService = (config: Config, starting: Starting): Promise<Service> =>
  openService(config, starting, (closers) => start(config, starting, closers))

/** If the disk of the embedded database is full, the error of any failed step names the disk. */
export const openService = (
  { databaseUrl, dataDir }: Config,
  starting: Starting,
  open: (closers: ServiceClosers) => Promise<Omit<Service, 'close'>>,
): Promise<Service> =>
  openWhole(stages, { log: starting.log, onWaiting: waitTeller(starting) }, open).catch(async (error) => {
    const isOther = databaseUrl !== null || error instanceof ConfigError || starting.signal.aborted
    throw isOther ? error : await orFullDisk(dataDir, freeBytesOf, error)
  })

const waitTeller =
  ({ progress }: Starting) =>
  (names: readonly string[]) => {
    // The app itself reports what it waits for.
    if (!names.includes(appPart)) progress(`waiting for ${names.join(', ')}`)
  }

async function start(
  config: Config,
  starting: Starting,
  closers: ServiceClosers,
): Promise<Omit<Service, 'close'>> {
  const { log, signal } = starting
  const surroundings = await openSurroundings(config, starting, closers)
  const parts = { log, onStopWaits: waitTeller(starting), drainMs: drainFor(config, signal) }
  const app = await untilAnswered(() => openApp(config, surroundings, parts), starting)
  closers.add('app', appPart, app.close, unboundedMs)
  signal.throwIfAborted()
  // Before the port opens, so that anybody who waits for the port finds the first app's keys.
  const greeting = await greet(config, surroundings, app)
  signal.throwIfAborted()
  await app.listen(surroundings.port, config.host)
  signal.throwIfAborted()
  loadLater(config, signal)
  return { ...greeting, ...addressesOf(config, surroundings) }
}

const loadAfterMs = 1_000

/**
 * Loads what is loaded at its first use, which may come after the program's files were replaced by those of another
 * version. Not at once: while it is loaded no call is answered, and somebody waits for the first answer of a start.
 */
export function loadLater({ role }: Config, signal: AbortSignal): void {
  if (role === 'worker') return
  // If it fails, its first use tries again, and reports it.
  const load = () => signal.aborted || webauthn().catch(() => {})
  setTimeout(load, loadAfterMs).unref()
}

/** How long calls are still accepted, depending on what asked for the stop. */
export const drainFor =
  ({ drainSeconds }: Config, signal: AbortSignal) =>
  () =>
    drainsAfter(signal) ? drainSeconds * 1_000 : 0

/** The URLs that people use, which may be those of a proxy in front. */
export const addressesOf = (config: Config, { port, simulator }: Surroundings) => ({
  url: publicUrlOf(config, port),
  phonesUrl: simulator && phonesUrlOf(simulator),
})

/** With port 0 the real port is known only after one was chosen. */
const publicUrlOf = ({ publicUrl, port: asked }: Config, port: number) =>
  asked === 0 ? publicUrl.replace(/:0$/, `:${port}`) : publicUrl

/** Opens the database, secrets and simulator, which all processes of a machine share. */
export async function openSurroundings(
  config: Config,
  starting: Starting,
  closers: ServiceClosers,
): Promise<Surroundings> {
  const { log, progress, signal } = starting
  await assertPortFree(config.host, config.port, 'PORT')
  if (config.bouncePort && config.role !== 'api')
    await assertPortFree(config.host, config.bouncePort, 'BOUNCE_PORT')
  const databaseUrl = config.databaseUrl ?? (await openEmbedded(config, starting, closers))
  await migrate(databaseUrl, migrationsFolder, progress, signal)
  const sessions = await inspectSessions(databaseUrl)
  if (!sessions.keepSettings) progress(aboutPooler(sessions))
  if (config.databaseUrl !== null) await warnOfWeakSettings(databaseUrl, sessions, log)
  const port = config.port || (await findFreePort(config.host))
  const bouncePort = config.bouncePort === 0 ? await findFreePort('127.0.0.1') : config.bouncePort
  if (!config.simulator) return { databaseUrl, sessions, port, bouncePort, simulator: null }
  progress('starting the simulator')
  const addresses = { localUrl: localUrlOf(port), publicUrl: config.publicUrl, bouncePort, log }
  const simulator = await startSimulator(simulatorProgram, config.simulator, addresses)
  closers.add('surroundings', 'the simulator', simulator.close, unboundedMs)
  signal.throwIfAborted()
  return { databaseUrl, sessions, port, bouncePort, simulator: simulator.access }
}

/** Only a warning, since the owner of the database may have reasons. */
async function warnOfWeakSettings(databaseUrl: string, sessions: Sessions, log: Log): Promise<void> {
  const database = openDatabase(databaseUrl, 2, () => {}, { sessions })
  try {
    const settings = await findWeakSettings(database)
    if (settings.length > 0)
      log('warn', 'what was accepted may be lost when the machine of the database fails', {
        settings: settings.join(', '),
      })
  } finally {
    await database.close()
  }
}

const aboutPooler = ({ keepStatements }: Sessions) =>
  keepStatements
    ? 'the database is behind a pooler'
    : 'the database is behind a pooler that keeps no prepared statements: every statement is planned anew (PgBouncer 1.21 and newer keeps them with max_prepared_statements = 200)'

const localUrlOf = (port: number) => `http://127.0.0.1:${port}`

/** The parts that differ between processes. */
export interface AppParts
  extends Pick<
    AppOptions,
    'log' | 'onStopWaits' | 'drainMs' | 'metrics' | 'untilOthersEnd' | 'untilHandedOn'
  > {
  readonly kinds?: Kinds
}

export async function openApp(
  config: Config,
  { databaseUrl, sessions, port, bouncePort, simulator }: Surroundings,
  { kinds = providerKinds, ...parts }: AppParts,
): Promise<App> {
  const { log } = parts
  return buildApp({
    ...config,
    ...parts,
    databaseUrl,
    sessions,
    masterKeys: await masterKeysOf(config),
    adminToken: await adminTokenOf(config),
    ipListsFolder: ipListsFolder(config.dataDir),
    localUrl: localUrlOf(port),
    dashboardFolder,
    documentsFolder,
    phonesUrl: simulator && phonesUrlOf(simulator),
    publicUrl: publicUrlOf(config, port),
    door: { allowedRanges: config.allowedRanges, allowsHttp: config.simulator !== null },
    bounce: bouncePort === null ? null : { host: config.host, port: bouncePort },
    kinds: new Map(Object.entries(kinds)),
    // Connections of the simulator's accounts are not worth a line in the log.
    builtIn: (onReceipt) =>
      simulator
        ? simulatorProviders(
            simulator,
            kinds,
            onReceipt,
            (level, ...line) => level !== 'info' && log(level, ...line),
          )
        : [],
  })
}

export async function greet(config: Config, surroundings: Surroundings, app: App): Promise<Greeting> {
  const firstApp = config.databaseUrl === null ? await findOrCreateFirstApp(app, config.dataDir) : null
  const { url } = addressesOf(config, surroundings)
  const { simulator, port } = surroundings
  if (firstApp && simulator) await introduceService(simulator, { url, localUrl: localUrlOf(port) }, firstApp)
  const signInLink =
    firstApp && config.role !== 'worker' ? await makeFirstSignInLink(app, url, firstApp) : null
  return { firstApp, signInLink }
}

async function openEmbedded(
  config: Config,
  { progress, signal }: Starting,
  closers: ServiceClosers,
): Promise<string> {
  const { dataDir } = config
  await openDataFolder(dataDir)
  // The secrets are made before the database, so that errors are reported at once, and before several processes could
  // make them.
  await makeMasterKey(config)
  await Promise.all([masterKeysOf(config), adminTokenOf(config)])
  const embedded = await startEmbeddedDatabase({ dataDir, log: progress, signal })
  closers.add('surroundings', 'PostgreSQL', embedded.close, unboundedMs)
  const file = join(dataDir, databaseUrlFile)
  await writePrivateFile(file, embedded.url)
  closers.add('surroundings', 'a file', () => rm(file, { force: true }))
  return embedded.url
}
