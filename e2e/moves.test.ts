import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openingBalance, prices } from './harness/app.ts'
import { newEmail, newPhone } from './harness/people.ts'
import { useService } from './harness/service.ts'
import { type Channel, codeIn, phoneChannels } from './harness/simulator.ts'
import { eventually } from './harness/wait.ts'

const service = useService()

const inOrder = (...order: Channel[]) => ({ routing: { default: order } })
const pairs = phoneChannels.flatMap((from) =>
  phoneChannels.filter((to) => to !== from).map((to) => [from, to] as const),
)

describe('resends', { concurrency: 6 }, () => {
  for (const [from, to] of pairs) {
    test(`a move by name from ${from} to ${to} and back brings a fresh code each time, and only the newest is good`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp(inOrder(from, to))
      const recipient = newPhone()
      const { otp_id: otpId, channel } = await app.send({ recipient })
      assert.equal(channel, from)
      const first = codeIn((await simulator.arrived(recipient, from)).text)

      assert.equal((await app.resend(otpId, to)).channel, to)
      const second = codeIn((await simulator.arrived(recipient, to)).text)
      assert.notEqual(second, first)
      const old = await app.verify(otpId, first)
      assert.deepEqual([old.matched, old.status, old.attempts_remaining], [false, 'pending', 4])

      assert.equal((await app.resend(otpId, from)).channel, from)
      const third = codeIn((await simulator.arrived(recipient, from, 2)).text)
      assert.ok(third !== first && third !== second)
      assert.equal((await app.verify(otpId, second)).attempts_remaining, 3, 'a move refills no attempts')
      const verdict = await app.verify(otpId, third)
      assert.deepEqual([verdict.matched, verdict.channel, verdict.attempts_remaining], [true, from, 3])
      assert.equal(await app.balance(), openingBalance - 2 * prices[from] - prices[to])
    })
  }

  test('a move by name to the channel it is on brings a fresh code there', async () => {
    const { createApp, simulator } = service()
    const app = await createApp(inOrder('email'))
    const recipient = newEmail()
    const { otp_id: otpId } = await app.send({ recipient })
    const first = codeIn((await simulator.arrived(recipient, 'email')).text)
    await app.resend(otpId, 'email')
    const second = codeIn((await simulator.arrived(recipient, 'email', 2)).text)
    assert.notEqual(second, first)
    assert.equal((await app.verify(otpId, first)).matched, false)
    assert.equal((await app.verify(otpId, second)).matched, true)
  })

  test('a channel that cannot be used is refused, and nothing is sent or paid', async () => {
    const { createApp, simulator } = service()
    const app = await createApp({ ...inOrder('sms', 'whatsapp'), channels: { telegram: { enabled: false } } })
    const recipient = newPhone()
    const { otp_id: otpId } = await app.send({ recipient })
    await app.delivery(otpId, 'delivered')
    for (const channel of ['telegram', 'email'] as const) {
      const refused = await app.refusedResend(otpId, channel)
      assert.deepEqual([refused.status, refused.body.error.type], [409, 'ResendNotAllowedError'])
    }
    assert.equal((await simulator.messages(recipient)).length, 1)
    assert.equal(await app.balance(), openingBalance - prices.sms)
  })

  test('a message that had not left yet never leaves once its code is replaced, and its money returns', async () => {
    const { createApp, simulator } = service()
    const app = await createApp(inOrder('sms', 'telegram'))
    const recipient = newPhone()
    await simulator.behave(recipient, 'sms', 'error')
    const { otp_id: otpId } = await app.send({ recipient })
    await app.resend(otpId, 'telegram')
    const { text } = await simulator.arrived(recipient, 'telegram')
    const { error } = await app.delivery(otpId, 'failed', 0)
    assert.equal(error?.code, 'superseded')
    await app.delivery(otpId, 'delivered', 1)
    assert.equal(await app.balance(), openingBalance - prices.telegram)
    assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
  })

  test('a message that had not left yet never leaves once the verification is finished', async () => {
    const { createApp, simulator } = service()
    const app = await createApp(inOrder('sms', 'telegram'))
    const recipient = newPhone()
    const { otp_id: otpId } = await app.send({ recipient })
    const { text } = await simulator.arrived(recipient, 'sms')
    await simulator.behave(recipient, 'telegram', 'error')
    assert.equal((await app.resend(otpId)).channel, 'telegram')
    assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
    const { error } = await app.delivery(otpId, 'failed', 1)
    assert.equal(error?.code, 'finished')
    assert.deepEqual(await simulator.messages(recipient, 'telegram'), [])
    assert.equal(await app.balance(), openingBalance - prices.sms)
  })

  test('a plain resend goes through the order, stays on its last channel, and carries the same code throughout', async () => {
    const { createApp, simulator } = service()
    const app = await createApp(inOrder('telegram', 'sms', 'whatsapp'))
    const recipient = newPhone()
    const { otp_id: otpId } = await app.send({ recipient })
    const visited: Channel[] = []
    for (let count = 0; count < 3; count++) visited.push((await app.resend(otpId)).channel)
    assert.deepEqual(visited, ['sms', 'whatsapp', 'whatsapp'])
    await simulator.arrived(recipient, 'whatsapp', 2)
    for (let place = 0; place < 4; place++) await app.delivery(otpId, 'delivered', place)
    const codes = (await simulator.messages(recipient)).map(({ text }) => codeIn(text))
    assert.equal(codes.length, 4)
    assert.equal(new Set(codes).size, 1)
    assert.equal((await app.verify(otpId, codes[0] ?? '')).matched, true)
    const spent = prices.telegram + prices.sms + 2 * prices.whatsapp
    assert.equal(await app.balance(), openingBalance - spent)
  })

  test('a plain resend after a move by name goes on from there, with the code of that move', async () => {
    const { createApp, simulator } = service()
    const app = await createApp(inOrder('sms', 'whatsapp', 'telegram'))
    const recipient = newPhone()
    const { otp_id: otpId } = await app.send({ recipient })
    const old = codeIn((await simulator.arrived(recipient, 'sms')).text)
    await app.resend(otpId, 'whatsapp')
    const fresh = codeIn((await simulator.arrived(recipient, 'whatsapp')).text)
    assert.equal((await app.resend(otpId)).channel, 'telegram')
    assert.equal(codeIn((await simulator.arrived(recipient, 'telegram')).text), fresh)
    assert.equal((await app.verify(otpId, old)).matched, false)
    assert.equal((await app.verify(otpId, fresh)).matched, true)
  })

  test('a plain resend to a mailbox brings the same code again', async () => {
    const { createApp, simulator } = service()
    const app = await createApp(inOrder('sms', 'email'))
    const recipient = newEmail()
    const { otp_id: otpId } = await app.send({ recipient })
    const first = codeIn((await simulator.arrived(recipient, 'email')).text)
    assert.equal((await app.resend(otpId)).channel, 'email')
    assert.equal(codeIn((await simulator.arrived(recipient, 'email', 2)).text), first)
    assert.equal((await app.verify(otpId, first)).matched, true)
  })

  test('a plain resend passes a link by, which is entered and left by name only', async () => {
    const { createApp, simulator } = service()
    const channels = { whatsapp: { mode: 'link_inbound' } }
    const app = await createApp({ ...inOrder('sms', 'whatsapp', 'telegram'), channels })
    const recipient = newPhone()
    const { otp_id: otpId } = await app.send({ recipient })
    // A message that has not left before the next resend is never sent.
    await simulator.arrived(recipient, 'sms')
    assert.equal((await app.resend(otpId)).channel, 'telegram')
    const onLink = await app.resend(otpId, 'whatsapp')
    assert.deepEqual([onLink.channel, onLink.completion], ['whatsapp', 'inbound'])
    assert.match(onLink.action_url ?? '', /^https:\/\/wa\.me\/\d+\?text=/)
    assert.equal((await app.resend(otpId)).action_url, onLink.action_url)
    const back = await app.resend(otpId, 'sms')
    assert.deepEqual([back.channel, back.completion, back.action_url], ['sms', 'code', null])
    const { text } = await simulator.arrived(recipient, 'sms', 2)
    assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
    assert.deepEqual(await simulator.messages(recipient, 'whatsapp'), [])
  })

  test('a resend within the cooldown is refused with the seconds left', async () => {
    const app = await service().createApp({ ...inOrder('sms'), resend_cooldown_s: 600 })
    const { otp_id: otpId } = await app.send({ recipient: newPhone() })
    const early = await app.refusedResend(otpId)
    assert.deepEqual([early.status, early.body.error.type], [429, 'ResendCooldownError'])
    const seconds = Number(early.headers.get('retry-after'))
    assert.ok(seconds > 500 && seconds <= 600, String(seconds))
  })

  test('a resend goes through once the cooldown is over, and after the last attempt is refused for good', async () => {
    const { createApp, simulator } = service()
    const app = await createApp({ ...inOrder('sms'), resend_cooldown_s: 1, max_sends: 2 })
    const recipient = newPhone()
    const { otp_id: otpId } = await app.send({ recipient })
    await eventually(
      'the cooldown is over',
      () => app.refusedResend(otpId),
      ({ status }) => status === 200,
    )
    const spent = await eventually(
      'the second cooldown is over',
      () => app.refusedResend(otpId),
      ({ status }) => status !== 429,
    )
    assert.deepEqual([spent.status, spent.body.error.type], [409, 'ResendNotAllowedError'])
    await app.delivery(otpId, 'delivered', 1)
    assert.equal((await simulator.messages(recipient)).length, 2)
    assert.equal((await app.status(otpId)).resend_available_at, null)
  })
})
