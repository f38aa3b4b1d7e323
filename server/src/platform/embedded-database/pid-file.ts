import { execFile } from 'node:child_process'
import { readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf } from '../error-code.ts'

const run = promisify(execFile)

export type ClusterFolder = {
  readonly dir: string
  /** Identifies this folder on the command line of its postmaster; a copy of the folder gets another mark. */
  readonly mark: string
}

export async function identifyFolder(dir: string): Promise<ClusterFolder> {
  const { dev, ino } = await stat(dir, { bigint: true })
  return { dir, mark: `countersign-${dev}-${ino}` }
}

/** The server process of a cluster, as PostgreSQL itself calls it. */
export type Postmaster = { readonly pid: number; readonly port: number }

type PidFile = Postmaster & { readonly status: string; readonly text: string }

export async function readPidFile(cluster: ClusterFolder): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster.dir, 'postmaster.pid'), 'utf8').catch(() => '')
  // Lines as in src/include/utils/pidfile.h: 1 pid, 4 port, 8 status.
  const lines = text.split('\n')
  const pid = Number.parseInt(lines[0] ?? '', 10)
  const port = Number.parseInt(lines[3] ?? '', 10)
  if (!(pid > 0)) return undefined
  return { pid, port, status: (lines[7] ?? '').trim(), text }
}

/** The running postmaster of this folder. A pid file that names some other program is put aside. */
export async function findPostmaster(cluster: ClusterFolder): Promise<PidFile | undefined> {
  const file = await readPidFile(cluster)
  if (!file) return undefined
  const found = await readProcess(file.pid)
  if (found && isMarked(found.command, cluster.mark)) return file
  if (found?.program === 'postgres' && !found.command.includes(' cluster_name=countersign-'))
    throw new Error(
      `A PostgreSQL that Countersign did not start (process ${file.pid}) seems to use ${cluster.dir}: stop it, then start again.`,
    )
  if (isAlive(file.pid)) await putAside(cluster, file)
  return undefined
}

export async function isServing(cluster: ClusterFolder, pid: number): Promise<boolean> {
  const found = await readProcess(pid)
  return found !== undefined && isMarked(found.command, cluster.mark)
}

/**
 * PostgreSQL would take any process of its own user for the postmaster that the file names, even a zombie. If sessions
 * of a dead postmaster are left, PostgreSQL finds them without the file, through their shared memory.
 */
async function putAside(cluster: ClusterFolder, file: PidFile): Promise<void> {
  const path = join(cluster.dir, 'postmaster.pid')
  const aside = `${path}.${process.pid}`
  try {
    await rename(path, aside)
    // Another start may have replaced the file since we read it.
    if ((await readFile(aside, 'utf8')) !== file.text) await rename(aside, path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await rm(aside, { force: true })
}

function isMarked(command: string, mark: string): boolean {
  return `${command} `.includes(` cluster_name=${mark} `)
}

/** Undefined for a process that is gone, and for a zombie. */
async function readProcess(pid: number): Promise<{ program: string; command: string } | undefined> {
  if (process.platform === 'linux') {
    const [path = '', ...rest] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    return path ? { program: basename(path), command: [path, ...rest].join(' ') } : undefined
  }
  const ps = async (column: string) =>
    (await run('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)]).catch(() => undefined))?.stdout.trim() ??
    ''
  const command = await ps('command')
  return command ? { program: basename(await ps('comm')), command } : undefined
}

/** Signals a process, or a process group if the number is negative. One that is already gone is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
