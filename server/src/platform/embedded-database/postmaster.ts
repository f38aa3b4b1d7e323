import { spawn } from 'node:child_process'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../free-port.ts'
import type { Cluster } from './cluster.ts'
import { orFullDisk } from './disk.ts'
import {
  type ClusterFolder,
  findPostmaster,
  isServing,
  type Postmaster,
  readPidFile,
  sendSignal,
} from './pid-file.ts'
import { pathSeenByPostgres, postgresEnvironment } from './surroundings.ts'

const listenAddress = '127.0.0.1'
const launchAttempts = 8
const firstPauseMs = 100
const pollMs = 50
const readyLimitMs = 15 * 60_000
const progressEveryMs = 5_000
/**
 * This and the next limit together fit into the time that a stop may take. What an immediate shutdown cuts short, the
 * next start recovers from the WAL.
 */
const fastShutdownLimitMs = 8_000
/** PostgreSQL kills its remaining processes after five seconds. */
const immediateShutdownLimitMs = 10_000
const logLimitBytes = 5_000_000

type Running = { readonly port: number; readonly isAdopted: boolean }

/** Adopts the postmaster that already serves this folder, or starts one. Returns when it takes connections. */
export async function ensureRunning(options: {
  readonly cluster: Cluster
  readonly port?: number
  readonly log: (message: string) => void
  readonly signal: AbortSignal
}): Promise<Running> {
  const { cluster, log, signal } = options
  const saidBefore = await sizeOfLog(cluster)
  for (let attempt = 0; attempt < launchAttempts; attempt += 1) {
    signal.throwIfAborted()
    const running = await findPostmaster(cluster)
    // A postmaster that was asked to stop during crash recovery may hang for ever, and nobody else would end it.
    if (running?.status === 'stopping') await stopPostmaster(cluster, log)
    else if (running) {
      const ready = await waitUntilReady({
        cluster,
        log,
        signal,
        isAlive: () => isServing(cluster, running.pid),
      })
      if (ready) return { port: ready.port, isAdopted: true }
    }
    await sleep(attempt === 0 ? 0 : firstPauseMs * 2 ** (attempt - 1), undefined, { signal })
    const port = options.port ?? (await findFreePort(listenAddress))
    const launched = await launch({ cluster, log, signal, port })
    if (launched) return launched
    // A full disk stays full, so another attempt is pointless.
    const full = await orFullDisk(cluster.dataDir, cluster.freeBytesOf, null)
    if (full) throw full
    log('the database could not be started yet: trying again')
  }
  const said = await readLogEnd(cluster, saidBefore)
  throw new Error(
    said === ''
      ? `PostgreSQL does not start, and has written nothing to ${logPath(cluster)}.`
      : `PostgreSQL does not start. The end of ${logPath(cluster)}:\n${said}`,
  )
}

/** Undefined when it exited: the port or the folder was taken in the meantime, or for a reason that is in its log. */
async function launch(options: {
  readonly cluster: Cluster
  readonly port: number
  readonly log: (message: string) => void
  readonly signal: AbortSignal
}): Promise<Running | undefined> {
  const { cluster, port, log, signal } = options
  await boundLog(cluster)
  const output = await open(logPath(cluster), 'a', 0o600)
  const child = spawn(cluster.binaries.postgres, launchArguments(cluster, port), {
    ...cluster.user,
    cwd: cluster.dir,
    env: postgresEnvironment,
    stdio: ['ignore', output.fd, output.fd],
    // In its own process group, so that Ctrl-C in a terminal does not reach it before we close it.
    detached: true,
  })
  let exited = false
  const exit = new Promise<void>((resolve) => {
    child.once('exit', resolve)
    child.once('error', (error) => {
      log(`PostgreSQL could not be started: ${error.message}`)
      resolve()
    })
  }).then(() => {
    exited = true
  })
  await output.close()
  child.unref()
  const end = () => child.kill('SIGINT')
  process.once('exit', end)
  try {
    const ready = await waitUntilReady({ cluster, log, signal, isAlive: async () => !exited })
    return ready && { port: ready.port, isAdopted: ready.pid !== child.pid }
  } catch (error) {
    end()
    // This process must not end before PostgreSQL has.
    child.ref()
    await exit
    throw error
  } finally {
    process.off('exit', end)
  }
}

function launchArguments(cluster: Cluster, port: number): string[] {
  const settings = {
    cluster_name: cluster.mark,
    listen_addresses: listenAddress,
    port,
    unix_socket_directories: '',
    // A test run has at least as many nodes on its one server as the machine has processors.
    max_connections: cluster.durable ? 200 : 500,
    shared_buffers: '128MB',
    max_locks_per_transaction: 256,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(cluster.durable
      ? { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    // Error messages, details and statements can quote what people sent. The callers get those; no file does.
    logging_collector: 'off',
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', pathSeenByPostgres(cluster.dir, cluster.user), ...flags]
}

async function waitUntilReady(options: {
  readonly cluster: Cluster
  readonly log: (message: string) => void
  readonly signal: AbortSignal
  readonly isAlive: () => Promise<boolean>
}): Promise<Postmaster | undefined> {
  const start = Date.now()
  let reported = start
  while (await options.isAlive()) {
    const file = await readPidFile(options.cluster)
    if (file?.status === 'ready' && (await isServing(options.cluster, file.pid))) return file
    if (Date.now() - start > readyLimitMs)
      throw new Error(
        `PostgreSQL is not ready after ${readyLimitMs / 60_000} minutes: see ${logPath(options.cluster)}`,
      )
    if (Date.now() - reported >= progressEveryMs) {
      reported = Date.now()
      options.log(
        `waiting for the database: ${file?.status ?? 'starting'}, ${Math.round((reported - start) / 1000)} s`,
      )
    }
    await sleep(pollMs, undefined, { signal: options.signal })
  }
  return undefined
}

/** Stops whichever postmaster serves the folder: ours, or one that we adopted. */
export async function stopPostmaster(cluster: ClusterFolder, log: (message: string) => void): Promise<void> {
  const running = await findPostmaster(cluster)
  if (!running) return
  const steps = [
    ['SIGINT', fastShutdownLimitMs],
    ['SIGQUIT', immediateShutdownLimitMs],
  ] as const
  for (const [signal, limitMs] of steps) {
    const deadline = Date.now() + limitMs
    sendSignal(running.pid, signal)
    while (Date.now() < deadline) {
      if (!(await isServing(cluster, running.pid))) return
      await sleep(pollMs)
    }
    log(`PostgreSQL (process ${running.pid}) did not stop on ${signal} within ${limitMs / 1000} s`)
  }
}

function logPath(cluster: Cluster): string {
  return join(cluster.dataDir, 'postgres.log')
}

async function sizeOfLog(cluster: Cluster): Promise<number> {
  const found = await stat(logPath(cluster)).catch(() => undefined)
  return found?.size ?? 0
}

async function boundLog(cluster: Cluster): Promise<void> {
  if ((await sizeOfLog(cluster)) > logLimitBytes) await rename(logPath(cluster), `${logPath(cluster)}.old`)
}

/**
 * Reads only what was written since `sinceByte`: how an earlier run ended explains nothing. A log that is shorter than
 * that was begun anew.
 */
async function readLogEnd(cluster: Cluster, sinceByte: number): Promise<string> {
  const bytes = await readFile(logPath(cluster)).catch(() => Buffer.alloc(0))
  const text = bytes.subarray(bytes.length < sinceByte ? 0 : sinceByte).toString()
  return text.trimEnd().split('\n').slice(-10).join('\n')
}
