/** What a client in another language needs to be tested against the service: keys, a token, a received webhook. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { TestApp } from '../e2e/harness/app.ts'
import { newPhone } from '../e2e/harness/people.ts'
import { openReceiver } from '../e2e/harness/receiver.ts'
import type { ServiceUnderTest } from '../e2e/harness/service.ts'
import { eventually } from '../e2e/harness/wait.ts'
import { verifyOnDevice } from './node/test/device.ts'

export interface Webhook {
  readonly rawBody: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly secret: string
}

/** The first webhook about an approval that the app's endpoint receives. */
export async function catchApproval(app: TestApp, provoke: () => Promise<unknown>): Promise<Webhook> {
  const receiver = await openReceiver()
  try {
    const secret = await app.sendEventsTo(receiver.url)
    await provoke()
    const find = () => receiver.received.find((one) => one.rawBody.includes('otp.approved')) ?? null
    const { rawBody, headers } = (await eventually('the event', find, Boolean)) ?? assert.fail()
    return { rawBody: rawBody.toString('utf8'), headers, secret }
  } finally {
    receiver.close()
  }
}

/** The environment variables that the tests of these clients read. */
export async function setStage(service: ServiceUnderTest): Promise<Readonly<Record<string, string>>> {
  const { running, createApp } = service
  const [app, cooling] = await Promise.all([
    createApp({ routing: { default: ['sms', 'telegram'] } }),
    createApp({ routing: { default: ['sms'] }, resend_cooldown_s: 60 }),
  ])
  const recipient = newPhone()
  let token = ''
  const webhook = await catchApproval(app, async () => {
    token = await verifyOnDevice(service, app, recipient)
  })
  return {
    COUNTERSIGN_URL: running.url,
    COUNTERSIGN_KEY: app.key,
    COOLING_KEY: cooling.key,
    SIMULATOR_URL: running.simulatorUrl,
    RECIPIENT: newPhone(),
    README_RECIPIENT: newPhone(),
    VERIFICATION_TOKEN: token,
    TOKEN_RECIPIENT: recipient,
    WEBHOOK: JSON.stringify(webhook),
  }
}

/** False if the command succeeds, else the reason to skip the tests that need it. */
export const missing = (command: string): string | false =>
  spawnSync('sh', ['-c', command]).status !== 0 && `not on this machine: ${command}`

/** Runs a program. If it fails, the error has all that was printed. */
export const run = (
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) =>
  promisify(execFile)(program, args, { cwd, env: { ...process.env, ...env } }).catch((error) =>
    assert.fail(`${error.stdout}${error.stderr}`),
  )
