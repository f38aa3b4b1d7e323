/** Ctrl-C as a terminal sends it: to npm and the service at once, and then once more to the service, by npm. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Backend, callerOf } from './harness/app.ts'
import {
  assertNothingLeft,
  descendantsOf,
  makeFolder,
  makeNewFolder,
  pidsBelow,
  postmasterOf,
} from './harness/left-behind.ts'
import { newPhone } from './harness/people.ts'
import { ended, findPorts, isAlive, npmStart, type Run, run, runCommand } from './harness/process.ts'
import { serviceOf } from './harness/service.ts'
import { eventually } from './harness/wait.ts'

/** Long enough for a busy machine to pass the signal on, and shorter than a stop waits. */
const takenAfterMs = 11_000
/** Two signals less than this apart count as one. */
const oneRequestMs = 1_000
const waitsForMessages = /· waiting for messages under way\n/
const cleanly = { code: 0, signal: null }

const untilGone = (processes: readonly number[]) =>
  eventually(
    'every process is gone',
    () => processes.filter(isAlive),
    (alive) => alive.length === 0,
  )

async function startByNpm(context: TestContext) {
  const folder = await makeFolder(context)
  const service = await folder.start({ command: npmStart })
  const processes = await pidsBelow(service.pid)
  assert.ok(processes.includes(await postmasterOf(folder.dataDir)))
  return { folder, service, processes }
}

/** Sends a message that its carrier accepts only after `delayMs`. */
async function sendSlowly(service: Awaited<ReturnType<typeof startByNpm>>['service'], delayMs: number) {
  const { createApp, simulator } = serviceOf(service)
  const app = await createApp({ routing: { default: ['telegram'] } })
  const recipient = newPhone()
  await simulator.behave(recipient, 'telegram', 'silent', delayMs)
  const { otp_id: otpId } = await app.send({ recipient })
  await eventually(
    'the message is in flight',
    async () => (await fetch(`${service.url}/metrics`)).text(),
    (text) => /^countersign_deliveries_in_flight 1$/m.test(text),
  )
  return { app, otpId }
}

describe('under npm start', { concurrency: 3 }, () => {
  test('Ctrl-C finishes what is under way, exits with 0 and leaves no process behind', async (context) => {
    const { folder, service, processes } = await startByNpm(context)
    const { app, otpId } = await sendSlowly(service, takenAfterMs)
    const askedAt = performance.now()
    service.signalGroup('SIGINT')
    assert.deepEqual(await ended(service), cleanly)
    const tookMs = performance.now() - askedAt
    await assertNothingLeft(service, processes)
    const again = await folder.start()
    const { deliveries } = await new Backend(callerOf(again.url), app.key).status(otpId)
    assert.deepEqual(
      deliveries.map(({ status }) => status),
      ['sent'],
      `the carrier took it before the stop, and it was written down: ${JSON.stringify(deliveries)}`,
    )
    const said = service.output()
    assert.match(said, waitsForMessages, `it stopped within ${tookMs} ms: ${said}`)
  })

  test('a second press within a second is the same one', async (context) => {
    const { service, processes } = await startByNpm(context)
    await sendSlowly(service, takenAfterMs)
    service.signalGroup('SIGINT')
    service.signalGroup('SIGINT')
    assert.deepEqual(await ended(service), cleanly)
    await assertNothingLeft(service, processes)
  })

  test('a press more than a second later ends it at once with 1, and PostgreSQL ends too', async (context) => {
    const { folder, service, processes } = await startByNpm(context)
    await sendSlowly(service, 60_000)
    service.signalGroup('SIGINT')
    await eventually('it stops', service.output, (text) => text.includes('Stopping…'))
    await sleep(oneRequestMs)
    service.signalGroup('SIGINT')
    assert.equal((await ended(service)).code, 1)
    // A stop that takes too long exits with 1 as well, so the output is checked.
    assert.match(service.output(), /^Ended at once\./m)
    await assertNothingLeft(service, processes)
    assert.match(await readFile(join(folder.dataDir, 'postgres.log'), 'utf8'), /system is shut down\s*$/)
    await folder.start()
  })

  test('a terminal that closes stops it as Ctrl-C does', async (context) => {
    const { folder, service, processes } = await startByNpm(context)
    service.signalGroup('SIGHUP')
    await untilGone(processes)
    assert.ok(!(await readdir(folder.dataDir)).includes('database-url'), 'it had the time to tidy up')
  })

  test('SIGTERM to npm alone stops all of it, once a slow carrier has its message', async (context) => {
    const { service, processes } = await startByNpm(context)
    await sendSlowly(service, takenAfterMs)
    service.signal('SIGTERM')
    await ended(service)
    await assertNothingLeft(service, processes)
    assert.match(service.output(), waitsForMessages)
  })

  test('Ctrl-C at any step of a first start ends it with 0, and the next one goes on from there', async (context) => {
    const folder = await makeNewFolder(context)
    for (const step of [
      'preparing the database',
      'starting the database',
      'migrating the database',
      'starting the simulator',
    ]) {
      const starting = run(folder.dataDir, await findPorts(), {}, npmStart)
      // Also stops it if something below fails, because the test run waits for its processes.
      context.after(() => isAlive(starting.pid) && starting.signalGroup('SIGINT'))
      const processes = await stopAt(starting, step)
      assert.deepEqual(await ended(starting), cleanly, step)
      await untilGone(processes)
      const left = await readdir(folder.dataDir)
      assert.ok(!left.some((name) => name.startsWith('postgres.new-')), 'nothing half-made is left')
      assert.doesNotMatch(starting.output(), /cannot start/)
    }
    await folder.start()
  })
})

/**
 * Presses Ctrl-C as soon as a step begins, and returns the processes that ran then. On a busy machine the run before
 * may have come further than intended and left nothing to do in this step: then Ctrl-C is pressed once the service is
 * ready.
 */
async function stopAt(starting: Run, step: string): Promise<readonly number[]> {
  await eventually(
    step,
    starting.output,
    (text) => text.includes(step) || text.includes('Countersign is ready.'),
  )
  const processes = await pidsBelow(starting.pid)
  starting.signalGroup('SIGINT')
  return processes
}

test('Ctrl-C while npm start installs or builds ends that too, with 0', async () => {
  const stoppable = new URL('../scripts/stoppable.mjs', import.meta.url).href
  // A program with a child, like npm and its own; the child ignores SIGTERM.
  const step = `trap '' TERM; sleep 600 & wait`
  const script = `import { runProgram, whileStoppable } from ${JSON.stringify(stoppable)}
    await whileStoppable(0, () => runProgram('sh', ['-c', ${JSON.stringify(`sh -c ${JSON.stringify(step)} & wait`)}], { stdio: 'ignore' }))`
  const preparing = runCommand([process.execPath, '--input-type=module', '--eval', script])
  const below = await eventually(
    'the programs run',
    () => descendantsOf(preparing.pid),
    (all) => all.filter(({ command }) => /sleep/.test(command)).length >= 2,
  )
  preparing.signalGroup('SIGINT')
  preparing.signal('SIGINT')
  assert.deepEqual(await ended(preparing), cleanly)
  await untilGone(below.map(({ pid }) => pid))
})

test('npm start hears Ctrl-C all the time from its preparations until the service hears it', async () => {
  // Presses Ctrl-C in the moment in which nothing would hear it. It is not heard then, so the signal is the exit.
  const pressUnheard = `process.on('removeListener', (name) => {
    if (name === 'SIGINT' && process.listenerCount(name) === 0) process.kill(process.pid, name)
  })`
  const preload = `data:text/javascript,${encodeURIComponent(pressUnheard)}`
  const unusable = { PORT: 'none' }
  const starting = runCommand([process.execPath, '--import', preload, 'scripts/start.mjs'], unusable)
  assert.deepEqual(await ended(starting), { code: 2, signal: null }, starting.output())
})
