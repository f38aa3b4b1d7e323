import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { whatsappNumber } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, message, resend, send, status, until, verify } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { linkModeScenarios } from './resend-link-scenarios.ts'
import { notAllowed, type Scenario } from './resend-scenario.ts'
import { templateScenarios } from './resend-template-scenarios.ts'

describe('where a resend goes', () => {
  let database: TestDatabase
  let node: Node
  const unreachable = new Set<string>()

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
    let count = 0
    node.capture.answerWith(({ recipient }, channel) =>
      unreachable.has(`${recipient} ${channel}`)
        ? { kind: 'unreachable', error: { code: 'not_here', message: 'Not on this channel.' } }
        : { kind: 'accepted', messageId: `r-${++count}` },
    )
  })
  after(async () => {
    await node?.close()
    await database?.close()
  })

  for (const scenario of [...templateScenarios, ...linkModeScenarios]) it(scenario.name, () => play(scenario))

  async function play(scenario: Scenario): Promise<void> {
    const { serverKey, appId } = await createTenant(node, {
      routing: { default: scenario.order },
      channels: { whatsapp: { mode: scenario.mode ?? 'template' } },
      max_sends: 10,
      ...scenario.settings,
    })
    const recipient = scenario.recipient ?? freshPhone()
    const isHere = (channel: string) => !scenario.unreachable?.includes(channel)
    for (const channel of scenario.unreachable ?? []) unreachable.add(`${recipient} ${channel}`)

    let delivered = node.capture.to(recipient).length
    const sent = await send(node, serverKey, { recipient })
    assert.equal(sent.body.channel, scenario.starts, JSON.stringify(sent.body))
    const otpId: string = sent.body.otp_id
    let whatsappMode = scenario.mode ?? 'template'
    let link: { url: string; completion: string } | null = null
    let code: string | null = null
    let spent = 1
    if (sent.body.action_url) link = { url: sent.body.action_url, completion: sent.body.completion }
    else await arrives(scenario.starts)

    for (const step of scenario.steps) {
      if (step.patch) {
        const patched = await node.manage('PATCH', `/apps/${appId}`, step.patch)
        assert.equal(patched.status, 200, JSON.stringify(patched.body))
        whatsappMode = patched.body.channels.whatsapp.mode
      }
      const answer = await resend(node, serverKey, otpId, step.named)
      const what = `${step.named ?? 'plain'} → ${step.to}: ${JSON.stringify(answer.body)}`
      if (step.to === notAllowed) {
        assert.equal(answer.status, 409, what)
        assert.equal(answer.body.error.type, notAllowed, what)
        continue
      }
      assert.equal(answer.status, 200, what)
      assert.equal(answer.body.channel, step.to, what)
      assert.equal(answer.body.otp_id, otpId)
      assert.equal(answer.body.status, 'pending')
      assert.equal(answer.body.masked_recipient, sent.body.masked_recipient)
      if (step.brings === 'same link') {
        assert.equal(answer.body.action_url, link?.url, what)
        assert.equal(answer.body.completion, link?.completion, what)
      } else if (step.brings === 'new link') {
        assert.match(answer.body.action_url, new RegExp(`^https://wa\\.me/${whatsappNumber}\\?text=`), what)
        assert.notEqual(answer.body.action_url, link?.url, what)
        assert.equal(answer.body.completion, whatsappMode === 'link_inbound' ? 'inbound' : 'code', what)
        link = { url: answer.body.action_url, completion: answer.body.completion }
        code = null
        spent++
      } else {
        assert.equal(answer.body.action_url, null, what)
        assert.equal(answer.body.completion, 'code', what)
        spent++
        const earlier: string | null = code
        await arrives(step.to)
        if (earlier !== null && isHere(step.to)) assert.equal(code === earlier, step.brings === 'same', what)
      }
      const seen = await status(node, serverKey, otpId)
      assert.equal(seen.body.sends_remaining, 10 - spent, what)
    }
    await finish()

    /** Waits for the newest code, or for the channel's answer that the person is unreachable. */
    async function arrives(channel: string): Promise<void> {
      if (isHere(channel)) {
        const captured = await message(node, recipient, delivered++)
        assert.equal(captured.channel, channel)
        code = captured.code
        return
      }
      await until('the provider’s word', async () => {
        const seen = await status(node, serverKey, otpId)
        return seen.body.deliveries.at(-1).status === 'failed'
      })
    }

    /** Whatever happened before, the code that arrived last is the one that is accepted. */
    async function finish(): Promise<void> {
      assert.equal(node.capture.to(recipient).length, delivered, 'no message beyond those asked for')
      if (code === null) return
      const verified = await verify(node, serverKey, otpId, code)
      assert.equal(verified.body.matched, true, JSON.stringify(verified.body))
    }
  }
})
