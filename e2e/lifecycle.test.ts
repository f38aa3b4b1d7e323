import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Backend, callerOf, openingBalance, prices } from './harness/app.ts'
import {
  assertNothingLeft,
  descendantsOf,
  makeFolder,
  makeNewFolder,
  pidsBelow,
  postmasterOf,
} from './harness/left-behind.ts'
import { newPhone } from './harness/people.ts'
import { ended, findPorts, holdPort, isAlive, run } from './harness/process.ts'
import { serviceOf, useService } from './harness/service.ts'
import { codeIn, simulatorAt } from './harness/simulator.ts'
import { eventually } from './harness/wait.ts'

const runProgram = promisify(execFile)

const hasCurl = spawnSync('curl', ['--version']).status === 0

const built = new URL('../server/dist/', import.meta.url)

/** The file of the built program that exports this name and is loaded by itself. */
function partWith(name: string): string {
  const exported = new RegExp(`^export \\{[^}]*\\b${name}\\b`, 'm')
  const part = readdirSync(built).find(
    (file) => file.endsWith('.js') && exported.test(readFileSync(new URL(file, built), 'utf8')),
  )
  assert.ok(part, name)
  return part
}

/** Node says so whenever it loads this file. */
function tellLoads(file: string): { NODE_OPTIONS: string } {
  const urlOf = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`
  const hooks = urlOf(`import { writeSync } from 'node:fs'
    export const load = (url, context, next) => {
      if (url.endsWith('/${file}')) writeSync(1, 'loads ${file}\\n')
      return next(url, context)
    }`)
  const registers = urlOf(`import { register } from 'node:module'; register(${JSON.stringify(hooks)})`)
  return { NODE_OPTIONS: `--import ${registers}` }
}

describe('the service', { concurrency: 3 }, () => {
  /** For tests that leave the service running as it was. */
  const shared = useService()

  test('after kill -9 in the middle of a hand-over takes the message up again within the lease', async (context) => {
    const folder = await makeFolder(context)
    const first = await folder.start()
    const { createApp, simulator, running } = serviceOf(first)
    const app = await createApp({ routing: { default: ['telegram'] } })
    const recipient = newPhone()
    await simulator.behave(recipient, 'telegram', 'deliver', 60_000)
    const { otp_id: otpId } = await app.send({ recipient })
    await eventually(
      'the message is in flight',
      async () => (await fetch(`${running.url}/metrics`)).text(),
      (text) => /^countersign_deliveries_in_flight 1$/m.test(text),
    )
    await first.kill()

    const second = await folder.start({ ports: first.ports })
    const phones = simulatorAt(second.simulatorUrl)
    await eventually(
      'the message arrives',
      () => phones.messages(recipient),
      (messages) => messages.length === 1,
    )
    await app.delivery(otpId, 'delivered')
    assert.equal(await app.balance(), openingBalance - prices.telegram)
  })

  for (const processes of ['1', '2'])
    test(`of ${processes === '1' ? 'one process' : 'two processes'} soon has all of its program, whose files may then be replaced`, async (context) => {
      const folder = await makeFolder(context)
      const part = partWith('generateAuthenticationOptions')
      const service = await folder.start({ environment: { PROCESSES: processes, ...tellLoads(part) } })
      await eventually(
        'every process has loaded it',
        () => service.output().split(`loads ${part}`).length - 1,
        (times) => times === Number(processes),
      )
    })

  test('answers on its first start only once the keys of the first app are written', async (context) => {
    const folder = await makeNewFolder(context)
    const ports = await findPorts()
    const starting = folder.start({ ports })
    const answers = () =>
      fetch(`http://127.0.0.1:${ports.http}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    let isOver = false
    const end = () => (isOver = true)
    starting.then(end, end)
    while (!isOver && !(await answers())) await setTimeout(1)
    assert.ok(existsSync(join(folder.dataDir, 'first-app.json')))
    await starting
  })

  test('finds everything again on other ports and at another address, and a pending verification can be finished', async (context) => {
    const folder = await makeFolder(context)
    const first = await folder.start()
    const before = serviceOf(first)
    const app = await before.createApp({ routing: { default: ['telegram', 'sms'] } })
    const recipient = newPhone()
    const { otp_id: otpId } = await app.send({ recipient })
    const code = codeIn((await before.simulator.arrived(recipient, 'telegram')).text)
    await app.delivery(otpId, 'delivered')
    const status = await app.status(otpId)
    assert.deepEqual(await first.stop(), { code: 0, signal: null })

    const publicUrl = 'https://otp.example.com'
    const second = await folder.start({ environment: { PUBLIC_URL: publicUrl } })
    assert.notDeepEqual(second.ports, first.ports)
    assert.ok(
      second.output().includes(`${publicUrl}/dashboard/sign-in#token=`),
      'it says where it is reached',
    )
    assert.deepEqual(second.firstApp, first.firstApp)
    assert.equal(second.adminToken, first.adminToken)
    const after = serviceOf(second)
    const sameApp = new Backend(callerOf(second.url), app.key)
    assert.deepEqual(await sameApp.status(otpId), status)
    assert.equal((await sameApp.resend(otpId)).channel, 'sms', 'settings are kept')
    assert.equal(codeIn((await after.simulator.arrived(recipient, 'sms')).text), code, 'the code is the same')
    assert.equal((await sameApp.verify(otpId, code)).matched, true)

    const firstApp = new Backend(callerOf(second.url), second.firstApp.server_key)
    const somebody = newPhone()
    await firstApp.send({ recipient: somebody })
    await after.simulator.arrived(somebody, 'sms')
    const company = await callerOf(second.url).call<{ balance: string }>(
      'GET',
      `/manage/v1/companies/${app.companyId}`,
      { key: first.adminToken },
    )
    const spent = (prices.telegram + prices.sms) / 1_000_000
    assert.equal(Number(company.body.balance), openingBalance / 1_000_000 - spent)
  })

  test('after kill -9 starts at once on the same ports, delivers what was queued, and ends cleanly on SIGTERM', async (context) => {
    const folder = await makeFolder(context)
    const first = await folder.start()
    const { createApp, simulator } = serviceOf(first)
    const queued = await Promise.all(
      (['sms', 'whatsapp', 'telegram'] as const).map(async (channel) => {
        const app = await createApp({ routing: { default: [channel] } })
        const recipient = newPhone()
        await simulator.behave(recipient, channel, 'error')
        const { otp_id: otpId } = await app.send({ recipient })
        const readError = async () => (await app.status(otpId)).deliveries[0]?.error ?? null
        await eventually('an attempt', readError, (error) => error !== null)
        return { app, channel, recipient, otpId }
      }),
    )
    const simulators = (await descendantsOf(first.pid)).filter(({ command }) => /simulator/.test(command))
    assert.equal(simulators.length, 1)
    await first.kill()

    const second = await folder.start({ ports: first.ports })
    const phones = simulatorAt(second.simulatorUrl)
    assert.ok(!simulators.some(({ pid }) => isAlive(pid)), 'the old simulator has ended by itself')
    for (const { app, channel, recipient, otpId } of queued) {
      const { text } = await phones.arrived(recipient, channel)
      await app.delivery(otpId, 'delivered')
      assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
      assert.equal((await phones.messages(recipient)).length, 1)
      assert.equal(await app.balance(), openingBalance - prices[channel])
    }
    const processes = await pidsBelow(second.pid)
    const postmaster = await postmasterOf(folder.dataDir)
    assert.deepEqual(await second.stop(), { code: 0, signal: null })
    await assertNothingLeft(second, [...processes, postmaster])
  })

  test('is one at a time for a folder: the second says so and ends with 1, the first goes on', async () => {
    const { running, createApp, simulator } = shared()
    const second = run(running.dataDir, await findPorts())
    assert.deepEqual(await ended(second), { code: 1, signal: null })
    assert.match(second.output(), /Countersign cannot start: Another Countersign is running on /)
    assert.match(second.output(), /DATA_DIR/)
    assert.doesNotMatch(second.output(), /\n\s+at /)
    const app = await createApp()
    const recipient = newPhone()
    await app.send({ recipient })
    await simulator.arrived(recipient, 'sms')
  })

  test('outlives its database: 503 while it is away, and all as before when it is back', async (context) => {
    const folder = await makeFolder(context)
    const running = await folder.start()
    const { createApp, simulator } = serviceOf(running)
    const app = await createApp({ routing: { default: ['sms'] } })
    const waiting = newPhone()
    await simulator.behave(waiting, 'sms', 'error')
    const { otp_id: otpId } = await app.send({ recipient: waiting })
    process.kill(await postmasterOf(folder.dataDir), 'SIGKILL')
    let accepted = 1
    const attempt = async () => {
      const answer = await app.attemptSend({ recipient: newPhone() })
      if (answer.status === 200) accepted++
      return answer
    }
    // The first calls may still be answered by connections that have not noticed.
    const refused = await eventually('a send is refused', attempt, ({ status }) => status !== 200)
    assert.deepEqual([refused.status, refused.body.error?.type], [503, 'UnavailableError'])
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    const sent = await eventually('a send is accepted again', attempt, ({ status }) => status === 200)
    await app.delivery(sent.body.otp_id ?? '', 'delivered')
    await simulator.behave(waiting, 'sms', 'deliver')
    await app.delivery(otpId, 'delivered')
    assert.equal((await simulator.messages(waiting)).length, 1)
    assert.equal(await app.balance(), openingBalance - accepted * prices.sms)
  })

  test('ends cleanly on Ctrl-C, and leaves no process behind', async (context) => {
    const folder = await makeFolder(context)
    const service = await folder.start()
    const processes = await pidsBelow(service.pid)
    const postmaster = await postmasterOf(folder.dataDir)
    assert.ok(processes.includes(postmaster))
    assert.ok(processes.length > 2, 'the database and the simulator')
    service.signalGroup('SIGINT')
    assert.deepEqual(await ended(service), { code: 0, signal: null })
    await assertNothingLeft(service, processes)
  })

  test('stopped while it is starting, ends and leaves no process behind', async (context) => {
    const folder = await makeFolder(context)
    const ports = await findPorts()
    const starting = run(folder.dataDir, ports)
    await eventually('the database is ready', starting.output, (text) => /database is ready/.test(text))
    const postmaster = await postmasterOf(folder.dataDir)
    starting.signal('SIGTERM')
    assert.deepEqual(await ended(starting), { code: 0, signal: null })
    await eventually(
      'PostgreSQL is gone',
      () => isAlive(postmaster),
      (alive) => !alive,
    )
  })

  test('says in a line which port is taken and what sets it, ends with 1, and leaves nothing running', async (context) => {
    const { dataDir } = await makeFolder(context)
    const taken = await holdPort()
    context.after(taken.release)
    // One port of the service and one of the simulator; the simulator's own tests try the others.
    const variables = { http: 'PORT', smtp: 'SIMULATOR_SMTP_PORT' }
    for (const [part, variable] of Object.entries(variables)) {
      const refused = run(dataDir, { ...(await findPorts()), [part]: taken.port })
      assert.deepEqual(await ended(refused), { code: 1, signal: null })
      const reasons = refused.output().match(/^Countersign cannot start.*$/gm) ?? []
      assert.equal(reasons.length, 1, refused.output())
      assert.match(reasons[0] ?? '', new RegExp(`\\b${taken.port}\\b.*\\b${variable}\\b`))
      assert.doesNotMatch(refused.output(), /\n\s+at /)
      assert.equal(await postmasterOf(dataDir).catch(() => null), null, 'the database has been stopped')
    }
  })

  test('says of all wrong values at once what they should be', async () => {
    const wrong = { PORT: '80x', SIMULATOR: 'maybe', ADMIN_TOKEN: 'short', TRUSTED_PROXIES: 'nowhere' }
    const refused = run(shared().running.dataDir, await findPorts(), wrong)
    assert.deepEqual(await ended(refused), { code: 2, signal: null })
    assert.match(refused.output(), /^PORT must be a whole number from 0 to 65535, not "80x"\.$/m)
    for (const name of Object.keys(wrong)) assert.match(refused.output(), new RegExp(`^${name}\\b`, 'm'))
    assert.doesNotMatch(refused.output(), /\n\s+at /)
  })

  test('the calls that it prints work as pasted', {
    skip: !hasCurl && 'there is no curl',
  }, async () => {
    const { running: service, simulator } = shared()
    const printed = [...service.output().matchAll(/^ {2}curl (?:.*\\\n)*.*$/gm)].map(([command]) => command)
    const [send, verify] = printed
    assert.ok(send && verify)
    const sent = JSON.parse((await runProgram('sh', ['-c', send])).stdout)
    assert.equal(sent.status, 'pending')
    const recipient = /"recipient": "([^"]+)"/.exec(send)?.[1] ?? ''
    const { text } = await simulator.arrived(recipient, sent.channel)
    const filled = verify.replace('<otp_id>', sent.otp_id).replace('<code>', codeIn(text))
    const verdict = JSON.parse((await runProgram('sh', ['-c', filled])).stdout)
    assert.deepEqual([verdict.matched, verdict.status], [true, 'approved'])
    for (const page of [/Documents\s+(\S+)/, /Phones\s+(\S+)/]) {
      const address = page.exec(service.output())?.[1]
      assert.ok(address)
      assert.equal((await fetch(address)).status, 200)
    }
  })
})
