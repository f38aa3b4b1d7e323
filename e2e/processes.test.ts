/** Several processes on one machine: together they are one service. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { describe, test } from 'node:test'
import { assertNothingLeft, descendantsOf, makeFolder, pidsBelow } from './harness/left-behind.ts'
import { newPhone, newRecipient } from './harness/people.ts'
import { ended, findPorts, isAlive, npmStart, type Run, type RunningService, run } from './harness/process.ts'
import { serviceOf, useService } from './harness/service.ts'
import { channels, codeIn } from './harness/simulator.ts'
import { eventually } from './harness/wait.ts'

const processes = 2

/** The processes of the service itself, without the simulator, PostgreSQL and npm. */
const serving = async ({ pid }: Run) =>
  (await descendantsOf(pid))
    .filter(({ command }) => /server\/dist\/cli\.js start$/.test(command))
    .map((line) => line.pid)

/** Kills a process, and waits until another serves in its place. */
async function killed(service: RunningService, pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await eventually(
    'another serves in its place',
    () => service.output().split(`"ended_pid":${pid},`)[1] ?? '',
    (since) => since.includes('a process serves in its place'),
  )
  assert.equal((await serving(service)).length, processes)
}

const requestsCounted = async (url: string) => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counted = text.match(/^countersign_http_request_seconds_count\{[^}]*otp\/send[^}]*\} (\d+)$/gm) ?? []
  return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** A new connection for each call, so that each may reach another process. */
const closing = { connection: 'close' }

/** On a connection of its own: `fetch` would use one that an earlier call has left open. */
const answerOf = ({ url }: RunningService) =>
  new Promise<number | 'closed' | undefined>((resolve) => {
    get(`${url}/healthz`, { agent: false }, (response) => resolve(response.resume().statusCode)).on(
      'error',
      () => resolve('closed'),
    )
  })

describe('two processes', { concurrency: false }, () => {
  const use = useService(() => ({ PROCESSES: String(processes) }))

  test('verify on every channel, whichever of them is asked', async () => {
    const { createApp, simulator } = use()
    for (const channel of channels) {
      const app = await createApp({ routing: { default: [channel] } })
      const recipients = Array.from({ length: 6 }, () => newRecipient(channel))
      const sent = await Promise.all(recipients.map((recipient) => app.send({ recipient })))
      for (const [index, recipient] of recipients.entries()) {
        const message = await simulator.arrived(recipient, channel)
        const { matched } = await app.verify(sent[index]?.otp_id ?? '', codeIn(message.text))
        assert.equal(matched, true, channel)
      }
      for (const { otp_id } of sent) await app.delivery(otp_id, 'delivered')
    }
  })

  // It clears every behaviour, so it runs on this suite's own service, where no other test sets one.
  test('deliver everything that was held up once all behaviour is cleared', async () => {
    const { createApp, simulator } = use()
    const held = await Promise.all(
      channels.map(async (channel) => {
        const app = await createApp({ routing: { default: [channel] } })
        const recipient = newRecipient(channel)
        await simulator.behave(recipient, channel, 'error')
        const { otp_id: otpId } = await app.send({ recipient })
        return { app, otpId, channel, recipient }
      }),
    )
    for (const { app, otpId } of held) {
      const readError = async () => (await app.status(otpId)).deliveries[0]?.error ?? null
      await eventually('an attempt', readError, (error) => error !== null)
    }
    await simulator.clearBehaviour()
    for (const { app, otpId, channel, recipient } of held) {
      const { text } = await simulator.arrived(recipient, channel)
      await app.delivery(otpId, 'delivered')
      assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
      assert.equal((await simulator.messages(recipient)).length, 1)
    }
  })

  test('bind once to an SMPP carrier', { skip: process.platform !== 'linux' }, async () => {
    const { running } = use()
    assert.equal(await connectionsTo(running.ports.smpp), 1)
  })

  test('count as one, whichever of them is asked for metrics, also after one has died', async () => {
    const { createApp, running } = use()
    const app = await createApp()
    const before = await requestsCounted(running.url)
    const count = 20
    for (let sent = 0; sent < count; sent++) {
      const response = await fetch(`${running.url}/api/v1/otp/send`, {
        method: 'POST',
        headers: { ...closing, authorization: `Bearer ${app.key}` },
        body: JSON.stringify({ recipient: newPhone() }),
      })
      assert.equal(response.status, 200)
      await response.text()
    }
    for (let asked = 0; asked < 2 * processes; asked++) {
      assert.equal(await requestsCounted(running.url), before + count)
    }
    const [first = 0] = await serving(running)
    await killed(running, first)
    assert.equal(await requestsCounted(running.url), before + count)
  })

  test('leave no caller waiting for one that hangs and is killed', async () => {
    const { running } = use()
    const [, hanging = 0] = await serving(running)
    process.kill(hanging, 'SIGSTOP')
    // The parent passes one connection to it and no second one, as that is not acknowledged.
    const calls = Array.from({ length: 2 * processes }, () => answerOf(running))
    let waiting = calls.length
    for (const call of calls) void call.then(() => waiting--)
    await eventually(
      'all others are answered',
      () => waiting,
      (left) => left === 1,
    )
    await killed(running, hanging)
    assert.ok((await Promise.all(calls)).includes('closed'))
  })

  /** Without a client IP an app may send twenty messages a minute, and this test sends more. */
  const clientIp = '81.2.69.142'
  for (const place of ['first', 'second'] as const) {
    test(`lose nothing that was accepted when the ${place} is killed under load, and are two again`, async () => {
      const { createApp, running, simulator } = use()
      const app = await createApp({ routing: { default: ['telegram'] } })
      const victim = (await serving(running))[place === 'first' ? 0 : 1] ?? 0
      const accepted: { readonly otpId: string; readonly recipient: string }[] = []
      let killing: Promise<void> | null = null
      const sendSome = async () => {
        for (let sent = 0; sent < 15; sent++) {
          const recipient = newPhone()
          // Calls on connections of the killed process break off, so it is unknown whether they were accepted.
          const answer = await app.attemptSend({ recipient, client_ip: clientIp }).catch(() => null)
          if (answer?.status === 200) accepted.push({ otpId: answer.body.otp_id ?? '', recipient })
          if (accepted.length >= 20) killing ??= killed(running, victim)
        }
      }
      await Promise.all(Array.from({ length: 4 }, sendSome))
      assert.ok(killing && accepted.length > 20)
      await killing
      for (const { recipient } of accepted) {
        // Messages that the killed process was handing over are taken over when their lease ends.
        await eventually(
          'arrives',
          () => simulator.messages(recipient),
          (all) => all.length > 0,
        )
      }
    })
  }
})

/** The number of established connections to this port, from /proc. */
async function connectionsTo(port: number): Promise<number> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const established = '01'
  const lines = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1)
  const sockets = lines.map((line) => line.trim().split(/\s+/))
  return sockets.filter(([, , remote = '', state]) => remote.endsWith(suffix) && state === established).length
}

test('a process that dies while it starts is started again, since the first serves already', async (context) => {
  const { dataDir } = await makeFolder(context)
  const service = run(dataDir, await findPorts(), { PROCESSES: String(processes) })
  context.after(async () => {
    service.signal('SIGTERM')
    await ended(service)
  })
  const [, second = 0] = await eventually(
    'the second is there',
    () => serving(service),
    (pids) => pids.length === processes,
  )
  process.kill(second, 'SIGKILL')
  await eventually('it is ready', service.output, (text) => text.includes('Countersign is ready.'))
  await eventually(
    'another serves in its place',
    () => service.output().split(`"ended_pid":${second},`)[1] ?? '',
    (since) => since.includes('a process serves in its place'),
  )
})

test('Ctrl-C under npm start stops all of them, exits with 0 and leaves no process behind', async (context) => {
  const folder = await makeFolder(context)
  const service = await folder.start({ command: npmStart, environment: { PROCESSES: String(processes) } })
  const { createApp, simulator } = serviceOf(service)
  const pids = await pidsBelow(service.pid)
  assert.equal((await serving(service)).length, processes)
  const app = await createApp({ routing: { default: ['sms', 'telegram'] } })
  const recipient = newPhone()
  await simulator.behave(recipient, 'telegram', 'silent', 5_000)
  const slow = await createApp({ routing: { default: ['telegram'] } })
  await slow.send({ recipient })
  await app.send({ recipient: newPhone() })
  service.signalGroup('SIGINT')
  service.signalGroup('SIGINT')
  assert.deepEqual(await ended(service), { code: 0, signal: null })
  await assertNothingLeft(service, pids)
  assert.ok(pids.every((pid) => !isAlive(pid)))
})
