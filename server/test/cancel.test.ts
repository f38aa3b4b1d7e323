/** Cancelling a verification, alone and in a race with everything else that may end it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Capture } from './harness/capture.ts'
import {
  createTenant,
  patiently,
  resend,
  send,
  started,
  status,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import type { Answer, Node } from './harness/node.ts'
import { joinCompany } from './harness/people.ts'
import { eventTypes } from './harness/records.ts'
import { startTwoNodeService } from './harness/service.ts'
import { write } from './harness/whatsapp.ts'
import { linkSettings, linksOf } from './inbound-support.ts'

const capture = new Capture()
const service = await startTwoNodeService({ capture, builtIn: () => capture.providers() })
after(service.close)
const { database, nodes } = service
const [node] = nodes
const tenant = await createTenant(node, { max_sends: 10 })
const { appId, companyId, serverKey, publishableKey } = tenant

const cancel = (at: Node, otpId: string) => at.manage('POST', `/verifications/${otpId}/cancel`)

function assertNotPending({ status: code, body }: Answer, otpStatus: string): void {
  assert.equal(code, 409, JSON.stringify(body))
  assert.equal(body.error.type, 'OtpNotPendingError')
  assert.deepEqual(body.error.details, { otp_status: otpStatus })
}

test('a cancelled verification is failed to every caller, and neither its code nor a resend helps', async () => {
  const { otpId, code, recipient } = await started(node, serverKey)
  const { status: answered, body } = await cancel(node, otpId)
  assert.equal(answered, 200, JSON.stringify(body))
  assert.equal(body.otp_id, otpId)
  assert.equal(body.status, 'failed')
  assert.match(body.cancelled_at, /Z$/)
  assert.equal(body.resend_available_at, null)
  for (const each of nodes) {
    for (const key of [serverKey, publishableKey]) {
      assert.equal((await status(each, key, otpId)).body.status, 'failed')
      assertNotPending(await verify(each, key, otpId, code), 'failed')
      assertNotPending(await verify(each, key, otpId, wrongCode(code)), 'failed')
      assertNotPending(await resend(each, key, otpId), 'failed')
      assertNotPending(await resend(each, key, otpId, 'sms'), 'failed')
    }
    assertNotPending(await cancel(each, otpId), 'failed')
  }
  assert.deepEqual(await eventTypes(database, otpId), ['otp.failed'])
  assert.equal(capture.to(recipient).length, 1)
})

test('a cancelled verification has the same event as one with spent attempts, and its timeline says that it was cancelled', async () => {
  const { otpId } = await started(node, serverKey)
  await cancel(node, otpId)
  const [event] = await database.query<{ body: string; event_id: string }>(
    'select body, event_id from events where otp_id = $1',
    [otpId],
  )
  assert.deepEqual(JSON.parse(event?.body ?? ''), {
    id: event?.event_id,
    type: 'otp.failed',
    payload: { otp_id: otpId, status: 'failed' },
  })
  const { timeline, events } = (await node.manage('GET', `/verifications/${otpId}`)).body
  // That the provider accepted the message may be recorded later.
  assert.deepEqual(
    timeline.map(({ kind }: { kind: string }) => kind).filter((kind: string) => kind !== 'sent'),
    ['started', 'queued', 'cancelled', 'event'],
  )
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    ['otp.failed'],
  )
})

test('what is over stays as it is: approved, failed, expired', async () => {
  const approved = await started(node, serverKey)
  await verify(node, serverKey, approved.otpId, approved.code)
  assertNotPending(await cancel(node, approved.otpId), 'approved')
  assert.equal((await status(node, serverKey, approved.otpId)).body.status, 'approved')
  assert.deepEqual(await eventTypes(database, approved.otpId), ['otp.approved'])

  const expired = await started(node, serverKey)
  await database.query('update verifications set expires_at = now() where otp_id = $1', [expired.otpId])
  assertNotPending(await cancel(node, expired.otpId), 'expired')
  assert.deepEqual(await eventTypes(database, expired.otpId), [])
})

test('of a right code and a cancel at the same moment exactly one wins, with one event', async () => {
  const rounds = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { otpId, code } = await started(node, serverKey)
      const [first, second] = index % 2 === 0 ? [nodes[0], nodes[1]] : [nodes[1], nodes[0]]
      const [cancelled, guessed] = await Promise.all([
        patiently(() => cancel(first, otpId)),
        patiently(() => verify(second, serverKey, otpId, code)),
      ])
      const isCancelled = cancelled.status === 200
      assert.equal(guessed.status, isCancelled ? 409 : 200)
      assertNotPending(isCancelled ? guessed : cancelled, isCancelled ? 'failed' : 'approved')
      const ended = isCancelled ? 'failed' : 'approved'
      assert.equal((await status(node, serverKey, otpId)).body.status, ended)
      assert.deepEqual(await eventTypes(database, otpId), [`otp.${ended}`])
      return isCancelled
    }),
  )
  assert.equal(rounds.length, 30)
})

test('forty cancels beside forty resends are one end, one event, and no message after it', async () => {
  const { otpId, recipient } = await started(node, serverKey)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => {
      const at = nodes[index % 2 === 0 ? 0 : 1]
      return index % 4 < 2 ? cancel(at, otpId) : resend(at, serverKey, otpId, 'sms')
    }),
  )
  assert.equal(answers.filter(({ status: code, body }) => code === 200 && body.status === 'failed').length, 1)
  assert.deepEqual(await eventTypes(database, otpId), ['otp.failed'])
  const resent = answers.filter(({ status: code, body }) => code === 200 && body.status === 'pending').length
  const [row] = await database.query<{ sends: number }>('select sends from verifications where otp_id = $1', [
    otpId,
  ])
  assert.equal(row?.sends, 1 + resent)
  assert.ok(capture.to(recipient).length <= 1 + resent)
})

test('of an approving message and a cancel at the same moment exactly one wins', async () => {
  const inbound = await createTenant(node, linkSettings('link_inbound'))
  const { linked, stateOf } = linksOf(service, inbound)
  for (let round = 0; round < 10; round++) {
    const { otpId, recipient, text } = await linked()
    const [cancelled] = await Promise.all([cancel(nodes[1], otpId), write(node, { from: recipient, text })])
    const ended = cancelled.status === 200 ? 'failed' : 'approved'
    assert.equal(await stateOf(otpId), ended)
    assert.deepEqual(await eventTypes(database, otpId), [`otp.${ended}`])
  }
})

test('a link that was cancelled approves nothing and answers nobody', async () => {
  for (const mode of ['link_inbound', 'link_code'] as const) {
    const { linked, stateOf } = linksOf(service, await createTenant(node, linkSettings(mode)))
    const { otpId, recipient, text } = await linked()
    assert.equal((await cancel(node, otpId)).body.action_url, null)
    await write(node, { from: recipient, text })
    assert.equal(await stateOf(otpId), 'failed')
    assert.deepEqual(capture.to(recipient), [])
  }
})

test('a message that no provider has taken yet is not sent any more, and its price comes back', async () => {
  const own = await createTenant(node)
  const busy = { code: 'busy', message: 'Not now.' }
  capture.answerWith(() => ({ kind: 'retry', error: busy, afterSeconds: null }))
  const recipient = '+447400998877'
  const { otp_id: otpId } = (await send(node, own.serverKey, { recipient })).body
  const delivery = async () => (await status(node, own.serverKey, otpId)).body.deliveries[0]
  await until('an attempt', async () => (await delivery()).error?.code === 'busy')
  await cancel(node, otpId)
  capture.answerWith(null)
  await database.query(
    'update deliveries set next_attempt_at = now() where otp_id = $1 and held_by is null',
    [otpId],
  )
  const failed = await until('the message to be given up', async () => {
    const seen = await delivery()
    return seen.status === 'failed' && seen
  })
  assert.equal(failed.error.code, 'finished')
  assert.deepEqual(capture.to(recipient), [])
  assert.equal((await node.manage('GET', `/companies/${own.companyId}`)).body.balance, '1000.000000')
  const { entries } = (await node.manage('GET', `/companies/${own.companyId}/ledger`)).body
  assert.deepEqual(entries.map(({ kind }: { kind: string }) => kind).sort(), ['credit', 'reserve', 'return'])
})

test('a developer may cancel, a viewer may not, and the trail has who did it', async () => {
  const { otpId } = await started(node, serverKey)
  const viewer = await joinCompany(node, companyId, 'viewer')
  const developer = await joinCompany(node, companyId, 'developer')
  const path = `/verifications/${otpId}/cancel`
  assert.equal((await viewer.call('POST', path)).status, 403)
  assert.equal((await status(node, serverKey, otpId)).body.status, 'pending')
  assert.equal((await developer.call('POST', path)).status, 200)
  const { entries } = (await node.manage('GET', `/companies/${companyId}/audit`)).body
  const cancels = entries.filter(({ action }: { action: string }) => action === 'cancelVerification')
  assert.deepEqual(
    cancels.slice(0, 2).map(({ outcome, app_id, subject }: Record<string, string>) => ({
      outcome,
      app_id,
      subject,
    })),
    [
      { outcome: 'done', app_id: appId, subject: otpId },
      { outcome: 'refused', app_id: appId, subject: otpId },
    ],
  )
})
