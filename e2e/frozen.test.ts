/** A process that is stopped and goes on later, as on a machine that is moved or put to sleep. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openingBalance } from './harness/app.ts'
import { openAccount } from './harness/carrier.ts'
import { makeFolder } from './harness/left-behind.ts'
import { newPhone } from './harness/people.ts'
import { serviceOf } from './harness/service.ts'
import { eventually } from './harness/wait.ts'

/** Longer than a carrier has to answer. */
const pauseMs = 16_000

const refusal = { status: 400, body: { error: { code: 131026, message: 'Message undeliverable' } } }

test('what a carrier answers while the process is stopped counts: a refused message fails, and its price is returned', async (context) => {
  const folder = await makeFolder(context)
  const service = serviceOf(await folder.start())
  const { running, createApp } = service
  const app = await createApp({ routing: { default: ['whatsapp'] } })
  const { carrier } = await openAccount(service, app, 'whatsapp')
  const stopped = new Promise<void>((resolve) => {
    carrier.onSend = async () => {
      running.signal('SIGSTOP')
      resolve()
      return refusal
    }
  })
  // Stopping may come before the answer to the send, so that waits until the process goes on.
  const sending = app.send({ recipient: newPhone() })
  await stopped
  await sleep(pauseMs)
  running.signal('SIGCONT')
  const { otp_id: otpId } = await sending
  const { error } = await app.delivery(otpId, 'failed')
  assert.equal(error?.code, '131026')
  await eventually('the price is returned', app.balance.bind(app), (balance) => balance === openingBalance)
  assert.equal(carrier.taken.length, 1)
  assert.deepEqual(await running.stop(), { code: 0, signal: null }, running.output())
})
