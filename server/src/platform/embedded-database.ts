import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDataFolder } from './data-folder.ts'
import { prepareBinaries } from './embedded-database/binaries.ts'
import { type Cluster, prepareCluster } from './embedded-database/cluster.ts'
import { type FreeBytesOf, freeBytesOf as freeBytesOnDisk, orFullDisk } from './embedded-database/disk.ts'
import {
  databaseUrl,
  FolderInUseError,
  type Ownership,
  takeOwnership,
} from './embedded-database/ownership.ts'
import { identifyFolder, isAlive } from './embedded-database/pid-file.ts'
import { ensureRunning, stopPostmaster } from './embedded-database/postmaster.ts'
import { chooseSystemUser } from './embedded-database/system-user.ts'

const firstRestartPauseMs = 250
const longestRestartPauseMs = 15_000
const steadyAfterMs = 60_000
const throwawayPrefix = 'countersign-throwaway-'

type Log = (message: string) => void

export type EmbeddedDatabase = { readonly url: string; close(): Promise<void> }

/** A real PostgreSQL under `<dataDir>/postgres`, on a free port of 127.0.0.1, kept running until `close`. */
export async function startEmbeddedDatabase(options: {
  readonly dataDir: string
  readonly log: Log
  /** False gives up the safety of the data for speed; only for tests. */
  readonly durable?: boolean
  /** Replaced in tests, which cannot fill a disk. */
  readonly freeBytesOf?: FreeBytesOf
  /** Aborted when the database is no longer wanted before it has started. */
  readonly signal?: AbortSignal
}): Promise<EmbeddedDatabase> {
  const { log, durable = true, freeBytesOf = freeBytesOnDisk } = options
  const { signal = new AbortController().signal } = options
  const dataDir = await openDataFolder(options.dataDir)
  const user = await chooseSystemUser(join(dataDir, 'postgres'))
  const prepare = async () => {
    const binaries = await prepareBinaries({ user, dataDir, log })
    return prepareCluster({ dataDir, user, binaries, durable, freeBytesOf, log, signal })
  }
  const cluster = await prepare().catch(async (error) => {
    throw await orFullDisk(dataDir, freeBytesOf, error)
  })
  const closing = new AbortController()
  log('starting the database…')
  const { port, isAdopted } = await ensureRunning({ cluster, log, signal })
  if (isAdopted) log('found the database running')
  const ownership = await takeOwnership(cluster, port).catch(async (error) => {
    if (!isAdopted && !(error instanceof FolderInUseError)) await stopPostmaster(cluster, log)
    throw error
  })
  log(`the database is ready on port ${port}`)
  const supervision = supervise({ cluster, port, ownership, log, signal: closing.signal })
  let closed: Promise<void> | undefined
  const close = async () => {
    closing.abort()
    const last = await supervision
    // The lock is held until PostgreSQL has ended, so that nobody adopts a server that is about to stop.
    await stopPostmaster(cluster, log)
    await last.release()
  }
  return {
    url: databaseUrl(cluster, port),
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** Starts PostgreSQL again whenever the ownership is lost. Ends on `close`, with the ownership that is held then. */
async function supervise(options: {
  readonly cluster: Cluster
  readonly port: number
  readonly ownership: Ownership
  readonly log: Log
  readonly signal: AbortSignal
}): Promise<Ownership> {
  const { cluster, port, log, signal } = options
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  let { ownership } = options
  let pauseMs = firstRestartPauseMs
  let since = Date.now()
  await Promise.race([ownership.lost, aborted])
  while (!signal.aborted) {
    if (Date.now() - since > steadyAfterMs) pauseMs = firstRestartPauseMs
    log(`the database stopped: starting it again in ${pauseMs} ms`)
    try {
      await sleep(pauseMs, undefined, { signal })
      const running = await ensureRunning({ cluster, port, log, signal })
      if (running.port !== port) throw new FolderInUseError(cluster.dataDir)
      ownership = await takeOwnership(cluster, port)
      since = Date.now()
      log('the database is back')
      await Promise.race([ownership.lost, aborted])
    } catch (error) {
      if (!signal.aborted) log(error instanceof Error ? error.message : String(error))
    }
    pauseMs = Math.min(pauseMs * 2, longestRestartPauseMs)
  }
  return ownership
}

/** A fresh database for tests, in its own folder below `parent`, which is removed on `close`. */
export async function startThrowawayDatabase(parent = tmpdir()): Promise<EmbeddedDatabase> {
  await removeAbandonedThrowaways(parent).catch(() => undefined)
  const dataDir = await mkdtemp(join(parent, `${throwawayPrefix}${process.pid}-`))
  const removeFolder = () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  try {
    const database = await startEmbeddedDatabase({ dataDir, log: () => undefined, durable: false })
    return {
      url: database.url,
      close: async () => {
        await database.close()
        await removeFolder()
      },
    }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

/** Cleans up after test runs that were killed and left their PostgreSQL running. */
async function removeAbandonedThrowaways(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(throwawayPrefix)) continue
    const pid = Number.parseInt(name.slice(throwawayPrefix.length), 10)
    if (!(pid > 0) || isAlive(pid)) continue
    const dataDir = join(parent, name)
    const found = await stat(dataDir).catch(() => undefined)
    if (found?.uid !== process.getuid?.()) continue
    const folder = await identifyFolder(join(dataDir, 'postgres')).catch(() => undefined)
    if (folder) await stopPostmaster(folder, () => undefined)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}
