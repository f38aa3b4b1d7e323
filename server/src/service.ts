/** A whole service from its config: database, secrets, simulator, app. */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type App, buildApp } from './app.ts'
import { providerKinds } from './channels/index.ts'
import type { Config } from './config.ts'
import { type Closers, openWhole } from './platform/closers.ts'
import { databaseUrlFile, ipListsFolder, masterKeysOf } from './platform/data-folder.ts'
import { startEmbeddedDatabase } from './platform/embedded-database.ts'
import { assertPortFree, findFreePort } from './platform/free-port.ts'
import type { Log } from './platform/log.ts'
import { migrate } from './platform/migrate.ts'
import { readOrMakePrivateFile, writePrivateFile } from './platform/private-file.ts'
import { type FirstApp, findOrCreateFirstApp, makeFirstSignInLink } from './sandbox/first-app.ts'
import { type Simulator, startSimulator } from './sandbox/simulator.ts'

export interface Service {
  readonly app: App
  readonly url: string
  readonly firstApp: FirstApp | null
  /** Opens the dashboard, once. */
  readonly signInLink: string | null
  readonly phonesUrl: string | null
  readonly close: () => Promise<void>
}

/** Both from the sources and from the build, the package's folder is one up. */
const packageFolder = new URL('../', import.meta.url)
const migrationsFolder = fileURLToPath(new URL('migrations', packageFolder))
const dashboardFolder = fileURLToPath(new URL('../dashboard/dist', packageFolder))
const simulatorProgram = fileURLToPath(new URL('../simulator/dist/main.js', packageFolder))

/** The app needs all that is around it until it has stopped. */
const stages = ['app', 'surroundings'] as const
/** These have bounds of their own inside, and the stop as a whole is bounded by whoever asked for it. */
const unboundedMs = 120_000
const appPart = 'the app'
/** Long enough for a balancer that asks /readyz; nobody balances a trial. */
const drainMs = 2_000

export interface Starting {
  readonly log: Log
  /** Each step, in words. */
  readonly progress: (line: string) => void
  /** Aborted when it is to stop before it has started. */
  readonly signal: AbortSignal
}

export const startService = (config: Config, starting: Starting): Promise<Service> =>
  openWhole(stages, { log: starting.log, onWaiting: waitTeller(starting) }, (closers) =>
    start(config, starting, closers),
  )

const waitTeller =
  ({ progress }: Starting) =>
  (names: readonly string[]) => {
    // The app says itself what in it is waited for.
    if (!names.includes(appPart)) progress(`waiting for ${names.join(', ')}`)
  }

async function start(
  config: Config,
  starting: Starting,
  closers: Closers<(typeof stages)[number]>,
): Promise<Omit<Service, 'close'>> {
  const { log, progress, signal } = starting
  if (config.port !== 0) await assertPortFree(config.host, config.port)
  const databaseUrl = config.databaseUrl ?? (await openEmbedded(config, starting, closers))
  await migrate(databaseUrl, migrationsFolder, progress, signal)
  const masterKeys = await masterKeysOf(config)
  const adminToken =
    config.adminToken ??
    (await readOrMakePrivateFile(join(config.dataDir, 'admin-token'), () =>
      randomBytes(24).toString('base64url'),
    ))

  const port = config.port || (await findFreePort(config.host))
  const localUrl = `http://127.0.0.1:${port}`
  const bouncePort = config.bouncePort === 0 ? await findFreePort('127.0.0.1') : config.bouncePort
  let simulator: Simulator | null = null
  if (config.simulator) {
    progress('starting the simulator')
    simulator = await startSimulator(simulatorProgram, config.simulator, { localUrl, bouncePort, log })
    closers.add('surroundings', 'the simulator', simulator.close, unboundedMs)
    signal.throwIfAborted()
  }
  const { providers } = simulator ?? {}
  const app = await buildApp({
    ...config,
    databaseUrl,
    masterKeys,
    adminToken,
    ipListsFolder: ipListsFolder(config.dataDir),
    localUrl,
    dashboardFolder,
    phonesUrl: simulator?.phonesUrl ?? null,
    publicUrl: config.port === 0 ? config.publicUrl.replace(/:0$/, `:${port}`) : config.publicUrl,
    door: { allowedRanges: config.allowedRanges, allowsHttp: config.simulator !== null },
    bounce: bouncePort === null ? null : { host: config.host, port: bouncePort },
    drainMs: config.databaseUrl ? drainMs : 0,
    onStopWaits: waitTeller(starting),
    log,
    kinds: new Map(Object.entries(providerKinds)),
    // That the simulator's accounts come and go is no news to anybody.
    builtIn: (onReceipt) =>
      providers?.(onReceipt, (level, ...line) => level !== 'info' && log(level, ...line)) ?? [],
  })
  closers.add('app', appPart, app.close, unboundedMs)
  signal.throwIfAborted()
  await app.server.listen({ port, host: config.host })
  const firstApp = config.databaseUrl === null ? await findOrCreateFirstApp(app, config.dataDir) : null
  const url = `http://localhost:${port}`
  const signInLink =
    firstApp && config.role !== 'worker' ? await makeFirstSignInLink(app, url, firstApp) : null
  signal.throwIfAborted()
  return { app, url, firstApp, signInLink, phonesUrl: simulator?.phonesUrl ?? null }
}

async function openEmbedded(
  { dataDir }: Config,
  { progress, signal }: Starting,
  closers: Closers<(typeof stages)[number]>,
): Promise<string> {
  const embedded = await startEmbeddedDatabase({ dataDir, log: progress, signal })
  closers.add('surroundings', 'PostgreSQL', embedded.close, unboundedMs)
  const file = join(dataDir, databaseUrlFile)
  await writePrivateFile(file, embedded.url)
  closers.add('surroundings', 'a file', () => rm(file, { force: true }))
  return embedded.url
}
