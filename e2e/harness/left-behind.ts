/** Data folders of tests, and what a service leaves behind when it ends. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { isAlive, makeDataDir, makeNewDataDir, type RunningService, removeDataDir, start } from './process.ts'
import { eventually } from './wait.ts'

const runProgram = promisify(execFile)

/** A folder that is removed after the test, and after whatever still runs in it. */
export const makeFolder = async (context: TestContext) => folderAt(context, await makeDataDir())

/** A folder in which no service was ever started. */
export const makeNewFolder = async (context: TestContext) => folderAt(context, await makeNewDataDir())

function folderAt(context: TestContext, dataDir: string) {
  const running = new Set<RunningService>()
  context.after(async () => {
    for (const service of running) if (isAlive(service.pid)) await service.stop()
    await removeDataDir(dataDir)
  })
  return {
    dataDir,
    start: async (options: Omit<NonNullable<Parameters<typeof start>[0]>, 'dataDir'> = {}) => {
      const service = await start({ ...options, dataDir })
      running.add(service)
      return service
    },
  }
}

interface ProcessLine {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** All descendants of a process. */
export async function descendantsOf(pid: number): Promise<ProcessLine[]> {
  const { stdout } = await runProgram('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], {
    maxBuffer: 16_000_000,
  })
  const all = stdout.split('\n').flatMap((line): ProcessLine[] => {
    const [, own, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return own ? [{ pid: Number(own), parent: Number(parent), command }] : []
  })
  const found: ProcessLine[] = []
  const parents = [pid]
  for (const parent of parents) {
    const children = all.filter((line) => line.parent === parent)
    found.push(...children)
    parents.push(...children.map((child) => child.pid))
  }
  return found
}

export const pidsBelow = async (pid: number) => (await descendantsOf(pid)).map((line) => line.pid)

const canConnect = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

export async function assertNothingLeft(
  service: RunningService,
  processes: readonly number[],
): Promise<void> {
  await eventually(
    'every process below the service is gone',
    () => processes.filter(isAlive),
    (alive) => alive.length === 0,
  )
  for (const port of Object.values(service.ports)) assert.equal(await canConnect(port), false)
}

export const postmasterOf = async (dataDir: string) =>
  Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
