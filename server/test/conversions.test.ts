/** Telegram counts how many of its codes are entered: the account that brought the approved one is told. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import { createTenant, freshPhone, message, resend, send, until, verify } from './harness/fixtures.ts'
import { settle } from './harness/records.ts'
import { startService } from './harness/service.ts'

const capture = new Capture()
const reported: { messageId: string; code: string }[] = []
const { database, node, close } = await startService({
  capture,
  builtIn: () =>
    capture.providers().map((provider) => ({
      ...provider,
      account: {
        ...provider.account,
        reportApproved: async (messageId, code) => {
          reported.push({ messageId, code })
        },
      },
    })),
})
after(close)
const { serverKey } = await createTenant(node, { routing: { default: ['telegram'] } })

async function begin() {
  const recipient = freshPhone()
  const { body } = await send(node, serverKey, { recipient })
  const first = await message(node, recipient)
  const approve = async (code: string) => {
    // Only a message that is recorded as taken can be named, and a person needs longer than this to type a code.
    await settle(database)
    assert.equal((await verify(node, serverKey, body.otp_id, code)).body.status, 'approved')
  }
  return { otpId: body.otp_id as string, recipient, first, approve }
}
const reportOf = (code: string) =>
  until('the account is told', async () => reported.find((report) => report.code === code))
/** Once a later approval is reported, an earlier one would have been too. */
async function assertNotReported(messageIds: readonly string[]): Promise<void> {
  const { first, approve } = await begin()
  await approve(first.code)
  await reportOf(first.code)
  assert.deepEqual(
    reported.filter(({ messageId }) => messageIds.includes(messageId)),
    [],
  )
}
/** Accepted, without a name of the account's own. */
const withoutName = () => ({ kind: 'accepted', messageId: null }) as const

describe('an approved code', () => {
  it('is reported with what the account called its newest message', async () => {
    const { otpId, recipient, first, approve } = await begin()
    await resend(node, serverKey, otpId)
    const second = await message(node, recipient, 1)
    assert.deepEqual([second.code, second.channel], [first.code, 'telegram'])
    await approve(second.code)
    assert.equal((await reportOf(second.code)).messageId, second.messageId)
    await assertNotReported([first.messageId])
  })

  it('is not reported for the message of an earlier code', async () => {
    const { otpId, recipient, first, approve } = await begin()
    capture.answerWith(withoutName)
    await resend(node, serverKey, otpId, 'telegram')
    const { code } = await message(node, recipient, 1)
    capture.answerWith(null)
    await approve(code)
    await assertNotReported([first.messageId])
  })

  it('is not reported where another channel brought it', async () => {
    const { otpId, recipient, first, approve } = await begin()
    await resend(node, serverKey, otpId, 'sms')
    const second = await message(node, recipient, 1)
    assert.equal(second.channel, 'sms')
    await approve(second.code)
    await assertNotReported([first.messageId, second.messageId])
  })
})
