/** The parent process, with child processes that serve nobody. */
import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Processes } from '../src/processes/parent.ts'
import type { Starting, Surroundings } from '../src/service.ts'
import { importable } from './harness/program.ts'

/** How a child process behaves; the first one always starts. */
type Behaviour = 'whole' | 'dies while it starts'

const child = importable(new URL('harness/one-of-several.ts', import.meta.url))

function start() {
  cluster.setupPrimary({
    exec: fileURLToPath(child.url),
    args: [],
    execArgv: [...child.options],
    serialization: 'advanced',
    silent: true,
  })
  const stop = new AbortController()
  const logged: string[] = []
  const starting: Starting = {
    log: (_, message) => logged.push(message),
    progress: () => {},
    signal: stop.signal,
  }
  const surroundings = {} as Surroundings
  return { processes: new Processes(surroundings, starting), stop, logged }
}

const behave = (behaviour: Behaviour) => {
  process.env.BEHAVIOUR = behaviour
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const overMs = performance.now() + 60_000
  while (!holds()) {
    assert.ok(performance.now() < overMs, what)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('the parent of several processes', () => {
  it('serves with those that come up, and starts again one that dies while others start', async () => {
    const { processes, logged } = start()
    behave('dies while it starts')
    const count = (wanted: string) => logged.filter((message) => message === wanted).length
    try {
      await processes.start(3)
      assert.equal(count('a process could not be started'), 2)
      behave('whole')
      await until('both to serve', () => count('a process serves in its place') === 2)
    } finally {
      await processes.close()
    }
  })

  it('says why the first did not come up, where the system would not start it', async () => {
    const { processes } = start()
    const { execPath } = process
    process.execPath = '/nowhere/node'
    try {
      await assert.rejects(processes.start(1), { code: 'ENOENT' })
    } finally {
      process.execPath = execPath
      await processes.close()
    }
  })

  it('starts none any more once it is to stop, and nothing breaks by that', async () => {
    const { processes, stop, logged } = start()
    behave('whole')
    await processes.start(1)
    const broken: unknown[] = []
    const hear = (error: unknown) => broken.push(error)
    process.on('unhandledRejection', hear)
    try {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
      await until('its end to be noticed', () => logged.includes('a process ended; it is started again'))
      stop.abort()
      // Longer than the pause before a restart.
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      assert.deepEqual([broken, Object.keys(cluster.workers ?? {})], [[], []])
    } finally {
      process.off('unhandledRejection', hear)
      await processes.close()
    }
  })
})
