/** An account of the kind http at the gateway that the simulator plays, set up as a user would. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openingBalance, prices } from './harness/app.ts'
import { newPhone } from './harness/people.ts'
import { useService } from './harness/service.ts'
import { codeIn, type Outcome } from './harness/simulator.ts'

const service = useService()

/** Ways to authenticate receipts: the preset's own, with a secret in the path, and an HMAC. */
const ways: Readonly<Record<string, object>> = {
  'a secret in the path': {},
  'an HMAC of the body': { receipts: 'hmac', receipt_secret: 'any-key' },
}

async function connect(changes: object = {}) {
  const { createApp, caller, running } = service()
  const app = await createApp({ routing: { default: ['sms'] } })
  const made = await caller.call<{ provider_id: string }>('POST', '/manage/v1/providers', {
    key: running.adminToken,
    body: {
      company_id: app.companyId,
      channel: 'sms',
      kind: 'http',
      settings: {
        preset: 'simulator',
        base_url: running.simulatorUrl,
        secret: 'any-key',
        from: 'Gateway',
        ...changes,
      },
    },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return app
}

describe('any gateway, played by the simulator', { concurrency: 6 }, () => {
  for (const [way, settings] of Object.entries(ways)) {
    test(`carries a code, and reports on it with ${way}`, async () => {
      const app = await connect(settings)
      const recipient = newPhone()
      const { otp_id: otpId } = await app.send({ recipient })
      const { text, from } = await service().simulator.arrived(recipient, 'sms')
      assert.equal(from, 'Gateway')
      await app.delivery(otpId, 'delivered')
      assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
      assert.equal(await app.balance(), openingBalance - prices.sms)
    })
  }

  const endings: readonly (readonly [Outcome, 'sent' | 'delivered' | 'failed'])[] = [
    ['fail', 'failed'],
    ['reject', 'failed'],
    ['unreachable', 'failed'],
    ['silent', 'sent'],
    ['duplicate', 'delivered'],
  ]
  for (const [outcome, expected] of endings) {
    test(`${outcome}: the delivery is ${expected}, and the money right`, async () => {
      const app = await connect()
      const recipient = newPhone()
      await service().simulator.behave(recipient, 'sms', outcome)
      const { otp_id: otpId } = await app.send({ recipient })
      await app.delivery(otpId, expected)
      assert.equal(await app.balance(), openingBalance - (expected === 'failed' ? 0 : prices.sms))
    })
  }

  for (const outcome of ['error', 'throttle'] as const) {
    test(`${outcome}: the message waits, and goes out once the gateway is well again`, async () => {
      const app = await connect()
      const recipient = newPhone()
      await service().simulator.behave(recipient, 'sms', outcome)
      const { otp_id: otpId } = await app.send({ recipient })
      await service().simulator.behave(recipient, 'sms', 'deliver')
      await app.delivery(otpId, 'delivered')
      assert.equal((await service().simulator.messages(recipient)).length, 1)
    })
  }
})
