import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { boundPort } from '../src/listen.ts'

/** Compiled sources, if the test run has made them, start in a fraction of the time; otherwise tsx reads the source. */
const PLAIN = process.env.PLAIN_SOURCES
const MAIN = PLAIN
  ? join(PLAIN, 'simulator/src/main.js')
  : fileURLToPath(new URL('../src/main.ts', import.meta.url))

const ENVIRONMENT: Record<string, string> = {
  SIMULATOR_PORT: '0',
  SIMULATOR_SMTP_PORT: '0',
  SIMULATOR_SMPP_PORT: '0',
  SIMULATOR_WHATSAPP_WEBHOOK_URL: 'http://127.0.0.1:9/hook',
  SIMULATOR_WHATSAPP_APP_SECRET: 'secret',
  SIMULATOR_WHATSAPP_ACCESS_TOKEN: 'token',
  SIMULATOR_WHATSAPP_VERIFY_TOKEN: 'verify',
  SIMULATOR_WHATSAPP_PHONE_NUMBER_ID: '1',
  SIMULATOR_WHATSAPP_NUMBER: '15550001111',
  SIMULATOR_TELEGRAM_TOKEN: 'telegram',
  SIMULATOR_SMPP_SYSTEM_ID: 'service',
  SIMULATOR_SMPP_PASSWORD: 'secret',
  SIMULATOR_SMTP_USER: 'service',
  SIMULATOR_SMTP_PASSWORD: 'secret',
}

interface Announcement {
  ready?: boolean
  httpPort?: number
  error?: string
}

function run(context: TestContext, changes: Record<string, string> = {}): ChildProcess {
  const env = { PATH: process.env.PATH ?? '', ...ENVIRONMENT, ...changes }
  const child = fork(MAIN, { env, execArgv: PLAIN ? [] : ['--import', 'tsx'], silent: true })
  context.after(() => child.kill('SIGKILL'))
  return child
}

async function announcement(child: ChildProcess): Promise<Announcement> {
  const [message] = (await once(child, 'message')) as [Announcement]
  return message
}

test('the program says when it is ready and ends with its parent', async (context) => {
  const child = run(context)
  const ready = await announcement(child)
  assert.equal(ready.ready, true)
  assert.equal((await fetch(`http://127.0.0.1:${ready.httpPort}/healthz`)).status, 200)
  child.disconnect()
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('SIGTERM ends the program cleanly', async (context) => {
  const child = run(context)
  await announcement(child)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a taken port is one line that names the variable', async (context) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  context.after(() => new Promise((resolve) => taken.close(resolve)))
  const port = boundPort(taken.address())
  for (const name of ['SIMULATOR_PORT', 'SIMULATOR_SMTP_PORT', 'SIMULATOR_SMPP_PORT']) {
    const child = run(context, { [name]: String(port) })
    let errors = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    const exited = once(child, 'close')
    const { error } = await announcement(child)
    assert.match(error ?? '', new RegExp(`port ${port} .*set ${name} to a free port$`))
    assert.deepEqual(await exited, [1, null])
    assert.equal(errors.trim(), '', 'whoever started it says it once')
  }
})

test('missing variables are named together', async (context) => {
  const child = run(context, { SIMULATOR_TELEGRAM_TOKEN: '', SIMULATOR_SMTP_USER: '', SIMULATOR_PORT: 'x' })
  const { error } = await announcement(child)
  for (const name of ['SIMULATOR_TELEGRAM_TOKEN', 'SIMULATOR_SMTP_USER', 'SIMULATOR_PORT']) {
    assert.ok(error?.includes(name), error)
  }
})
