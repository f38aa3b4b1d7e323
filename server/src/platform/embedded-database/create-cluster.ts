import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { isAlive, sendSignal } from './pid-file.ts'
import { pathSeenByPostgres, postgresEnvironment } from './surroundings.ts'
import type { SystemUser } from './system-user.ts'

export const databaseUser = 'countersign'
export const stagingPrefix = 'postgres.new-'
// After its server was killed, initdb keeps writing for a moment, so removing the folder may need several tries.
const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }

/** Made in a staging folder and moved into place when complete, so that a kill leaves nothing half-made. */
export async function createCluster(options: {
  readonly dataDir: string
  readonly dir: string
  readonly password: string
  readonly user: SystemUser | undefined
  readonly binaries: Binaries
  readonly durable: boolean
  readonly signal: AbortSignal
}): Promise<void> {
  const { dataDir, dir, password, user } = options
  const staging = join(dataDir, `${stagingPrefix}${process.pid}-${randomBytes(6).toString('hex')}`)
  const data = join(staging, 'data')
  const passwordFile = join(staging, 'password')
  try {
    await mkdir(data, { recursive: true, mode: 0o700 })
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
    if (user) for (const path of [staging, data, passwordFile]) await chown(path, user.uid, user.gid)
    await runInitdb({ ...options, data, passwordFile })
    await rename(data, dir).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster: its cluster is as good as ours.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    await syncFolder(dataDir)
  } finally {
    await rm(staging, removal)
  }
}

async function runInitdb(options: {
  readonly data: string
  readonly passwordFile: string
  readonly user: SystemUser | undefined
  readonly binaries: Binaries
  readonly durable: boolean
  readonly signal: AbortSignal
}): Promise<void> {
  const { data, user, binaries, durable, signal } = options
  const password = await open(options.passwordFile, 'r')
  const seenPassword = user && process.platform === 'linux' ? '/proc/self/fd/3' : options.passwordFile
  const args = [
    ['-D', pathSeenByPostgres(data, user), '-U', databaseUser, `--pwfile=${seenPassword}`],
    // The builtin provider gives the same collation and character classes on every machine.
    ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    // The password is 192 random bits: hashing it thousands of times would protect nothing and slow down every
    // connection.
    ['--auth=scram-sha-256', '--set=scram_iterations=1', ...(durable ? [] : ['--no-sync'])],
  ].flat()
  try {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const child = spawn(binaries.initdb, args, {
        ...user,
        cwd: data,
        env: postgresEnvironment,
        stdio: ['ignore', 'ignore', 'pipe', password.fd],
        // A process group of its own, which ends as a whole and only when we end it.
        detached: true,
      })
      // SIGTERM, because initdb ignores SIGINT while it tries settings with system().
      const end = () => child.pid && sendSignal(-child.pid, 'SIGTERM')
      signal.addEventListener('abort', end, { once: true })
      process.once('exit', end)
      let complaint = ''
      child.stderr?.on('data', (chunk) => {
        complaint = (complaint + chunk).slice(-2000)
      })
      child.once('error', reject)
      child.once('close', (code, endedBy) => {
        signal.removeEventListener('abort', end)
        process.off('exit', end)
        if (code === 0) resolve()
        else reject(new Error(`initdb could not make the database (${endedBy ?? code}): ${complaint.trim()}`))
      })
    })
  } finally {
    await password.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

export async function removeAbandonedStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(stagingPrefix)) continue
    const pid = Number.parseInt(name.slice(stagingPrefix.length), 10)
    if (!isAlive(pid)) await rm(join(dataDir, name), removal).catch(() => undefined)
  }
}
