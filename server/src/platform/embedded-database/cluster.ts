import { randomBytes } from 'node:crypto'
import { chmod, lchown, link, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../error-code.ts'
import type { Binaries } from './binaries.ts'
import { createCluster, removeAbandonedStaging, stagingPrefix } from './create-cluster.ts'
import type { FreeBytesOf } from './disk.ts'
import { type ClusterFolder, identifyFolder } from './pid-file.ts'
import type { SystemUser } from './system-user.ts'

/** One folder of PostgreSQL data, ready to be started. */
export type Cluster = ClusterFolder & {
  readonly dataDir: string
  readonly password: string
  readonly user: SystemUser | undefined
  readonly binaries: Binaries
  readonly durable: boolean
  readonly freeBytesOf: FreeBytesOf
}

export async function prepareCluster(options: {
  readonly dataDir: string
  readonly user: SystemUser | undefined
  readonly binaries: Binaries
  readonly durable: boolean
  readonly freeBytesOf: FreeBytesOf
  readonly log: (message: string) => void
  readonly signal: AbortSignal
}): Promise<Cluster> {
  const { dataDir, user, binaries, durable, freeBytesOf, log, signal } = options
  const dir = join(dataDir, 'postgres')
  await removeAbandonedStaging(dataDir)
  if (!(await exists(dir))) {
    log('preparing the database (first start)…')
    const password = await makePassword(dataDir)
    await createCluster({ dataDir, dir, password, user, binaries, durable, signal })
  }
  await assertVersion(dir, binaries)
  await fixOwner(dir, user)
  const folder = await identifyFolder(dir)
  return { ...folder, dataDir, password: await readPassword(dataDir), user, binaries, durable, freeBytesOf }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Made before the cluster and never replaced, so that two first starts at the same time use the same password. */
async function makePassword(dataDir: string): Promise<string> {
  const temporary = join(dataDir, `${stagingPrefix}${process.pid}-password-${randomBytes(6).toString('hex')}`)
  const file = await open(temporary, 'wx', 0o600)
  await file.writeFile(`${randomBytes(24).toString('hex')}\n`)
  await file.sync()
  await file.close()
  await link(temporary, join(dataDir, 'postgres-password')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary)
  return await readPassword(dataDir)
}

async function readPassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres-password')
  const password = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (password) return password
  throw new Error(`The password of the database cannot be read from ${path}: restore that file.`)
}

async function assertVersion(dir: string, binaries: Binaries): Promise<void> {
  const found = (await readFile(join(dir, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (found === binaries.majorVersion) return
  throw new Error(
    found
      ? `${dir} was made by PostgreSQL ${found}, and this release of Countersign brings ${binaries.majorVersion}: dump it with the release that made it, then restore.`
      : `${dir} cannot be read as PostgreSQL data: it belongs to another user, or is not a database.`,
  )
}

/** PostgreSQL insists that its data belongs to its own user and is closed to others. A restored copy may differ. */
async function fixOwner(dir: string, user: SystemUser | undefined): Promise<void> {
  const found = await stat(dir)
  const wanted = user ?? { uid: process.getuid?.() ?? found.uid, gid: found.gid }
  if (found.uid !== wanted.uid) {
    if (!user) throw new Error(`${dir} belongs to another user: start as that user, or as root.`)
    await changeOwner(dir, user)
  }
  if ((found.mode & 0o077) !== 0) await chmod(dir, 0o700)
}

async function changeOwner(path: string, user: SystemUser): Promise<void> {
  await lchown(path, user.uid, user.gid)
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) await changeOwner(child, user)
    else await lchown(child, user.uid, user.gid)
  }
}
