/** The service under test: starts it on its own processor, and asks for its memory and its worker's progress. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { programOf } from '../harness/program.ts'

export interface Overloaded {
  readonly child: ChildProcess
  readonly baseUrl: string
  /** Keys of several companies. */
  readonly keys: readonly string[]
}

/** Whether load and service have separate processors, so that the load can ask for more than the service can do. */
export const isApart =
  availableParallelism() > 1 && spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0

/** The service and its PostgreSQL run on the first processor, the load on the others. */
export async function startOverloaded(): Promise<Overloaded> {
  // With the same flags as `npm start` and the image.
  const program = [
    process.execPath,
    '--max-semi-space-size=64',
    ...programOf(new URL('./service.ts', import.meta.url)),
  ]
  const [command = '', ...args] = isApart ? ['taskset', '-c', '0', ...program] : program
  const child = spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  if (isApart) {
    const others = `1-${availableParallelism() - 1}`
    spawnSync('taskset', ['-a', '-c', '-p', others, String(process.pid)], { stdio: 'ignore' })
  }
  const [said] = await once(child, 'message')
  return { child, ...said }
}

export const residentMb = ({ child }: Overloaded) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024)

export async function messagesOf({
  child,
}: Overloaded): Promise<{ readonly delivered: number; readonly queued: number }> {
  child.send('delivered')
  const [said] = await once(child, 'message')
  return said
}
