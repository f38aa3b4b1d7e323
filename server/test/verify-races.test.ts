/** Parallel guesses on two nodes of one database. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import {
  createKey,
  createTenant,
  message,
  resend,
  started,
  status,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import type { Answer, Node } from './harness/node.ts'
import { attemptsSpent, eventTypes } from './harness/records.ts'
import { startTwoNodeService } from './harness/service.ts'

const { database, nodes, close } = await startTwoNodeService()
after(close)
const createOwnTenant = () => createTenant(nodes[0], { max_sends: 10 })

/** Calls alternate between the nodes. */
const nodeOf = (index: number) => nodes[index % 2 === 0 ? 0 : 1]
const together = (count: number, call: (node: Node, index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(nodeOf(index), index)))
const statuses = (answers: readonly Answer[]) => answers.map((answer) => answer.status).sort()

for (const kind of ['serverKey', 'publishableKey'] as const) {
  test(`fifty parallel right codes with one ${kind} are one approval, one event and fifty equal answers`, async () => {
    const tenant = await createOwnTenant()
    const { otpId, code } = await started(nodes[0], tenant.serverKey)
    const answers = await together(50, (node) => verify(node, tenant[kind], otpId, code))
    assert.deepEqual(statuses(answers), Array(50).fill(200))
    for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
    assert.equal(answers[0]?.body.matched, true)
    assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
    const tokens = await database.query('select 1 from tokens where otp_id = $1', [otpId])
    assert.equal(tokens.length, kind === 'publishableKey' ? 1 : 0)
  })
}

test('forty parallel right codes with forty keys are one approval, one event, one token and 39 times 409', async () => {
  const tenant = await createOwnTenant()
  const keys = await Promise.all(
    Array.from({ length: 40 }, () => createKey(nodes[0], tenant.appId, 'publishable')),
  )
  const { otpId, code } = await started(nodes[0], tenant.serverKey)
  const answers = await together(40, (node, index) => verify(node, keys[index] ?? '', otpId, code))
  assert.deepEqual(statuses(answers), [200, ...Array(39).fill(409)])
  for (const { body } of answers.filter((answer) => answer.status === 409)) {
    assert.equal(body.error.type, 'OtpNotPendingError')
    assert.deepEqual(body.error.details, { otp_status: 'approved' })
  }
  assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
  assert.equal((await database.query('select 1 from tokens where otp_id = $1', [otpId])).length, 1)
})

test('a hundred parallel wrong codes with a cap of five: five are judged, one event, the right one refused', async () => {
  const tenant = await createOwnTenant()
  const { otpId, code } = await started(nodes[0], tenant.serverKey)
  const wrong = Array.from({ length: 100 }, (_, index) =>
    String((Number(code) + 1 + index) % 1_000_000).padStart(6, '0'),
  )
  const answers = await together(100, (node, index) => verify(node, tenant.serverKey, otpId, wrong[index]))
  const judged = answers.filter((answer) => answer.status === 200)
  assert.deepEqual(judged.map(({ body }) => body.attempts_remaining).sort(), [0, 1, 2, 3, 4])
  assert.deepEqual(
    judged.filter(({ body }) => body.matched || body.status === 'approved'),
    [],
  )
  assert.equal(judged.filter(({ body }) => body.status === 'failed').length, 1)
  for (const { status: refused, body } of answers.filter((answer) => answer.status !== 200)) {
    assert.equal(refused, 409)
    assert.deepEqual(body.error.details, { otp_status: 'failed' })
  }
  assert.deepEqual(await eventTypes(database, otpId), ['otp.failed'])
  assert.equal(await attemptsSpent(database, otpId), 5)
  for (const node of nodes) {
    assert.equal((await verify(node, tenant.serverKey, otpId, code)).body.error.details.otp_status, 'failed')
  }
})

test('the right code hidden among a hundred guesses is worth no more than its turn', async () => {
  const tenant = await createOwnTenant()
  const { otpId, code } = await started(nodes[0], tenant.serverKey)
  const answers = await together(100, (node, index) =>
    verify(node, tenant.serverKey, otpId, index === 50 ? code : wrongCode(code)),
  )
  const wrongJudged = answers.filter((answer) => answer.status === 200 && !answer.body.matched).length
  const isApproved = answers[50]?.status === 200
  assert.deepEqual(await eventTypes(database, otpId), [isApproved ? 'otp.approved' : 'otp.failed'])
  assert.ok(wrongJudged <= (isApproved ? 4 : 5), `${wrongJudged} wrong codes were judged`)
  assert.equal(await attemptsSpent(database, otpId), 5)
})

test('the right code beside a wrong one is never rejected because of it, in forty rounds', async () => {
  const tenant = await createOwnTenant()
  for (let round = 0; round < 40; round++) {
    const { otpId, code } = await started(nodes[0], tenant.serverKey)
    const isRightFirst = round % 2 === 0
    const [first, second] = await together(2, (node, index) =>
      verify(node, tenant.publishableKey, otpId, (index === 0) === isRightFirst ? code : wrongCode(code)),
    )
    const [right, wrong] = isRightFirst ? [first, second] : [second, first]
    assert.equal(right?.status, 200)
    assert.equal(right?.body.matched, true)
    assert.match(right?.body.verification_token, /^otp_vt_/)
    if (wrong?.status === 200) assert.equal(wrong.body.matched, false)
    else assert.deepEqual(wrong?.body.error.details, { otp_status: 'approved' })
    assert.equal(await attemptsSpent(database, otpId), 1)
    assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
  }
})

test('a guess of the old code beside a resend that makes a fresh one: never both, and no attempt is lost', async () => {
  const tenant = await createOwnTenant()
  for (let round = 0; round < 30; round++) {
    const { otpId, code, recipient } = await started(nodes[0], tenant.serverKey)
    const [resent, guess] = await Promise.all([
      resend(nodeOf(round + 1), tenant.serverKey, otpId, 'sms'),
      // The head start varies by a few milliseconds from round to round, so that either comes first at times.
      pause(round % 10).then(() => verify(nodeOf(round), tenant.serverKey, otpId, code)),
    ])
    if (resent.status === 200) {
      const fresh = (await message(nodes[0], recipient, 1)).code
      if (fresh === code) continue
      assert.equal(guess.body.matched, false, 'the old code was accepted though a fresh one was issued')
      assert.equal((await verify(nodes[0], tenant.serverKey, otpId, code)).body.matched, false)
      assert.equal(await attemptsSpent(database, otpId), 2)
      assert.equal((await verify(nodes[1], tenant.serverKey, otpId, fresh)).body.matched, true)
    } else {
      assert.deepEqual(resent.body.error.details, { otp_status: 'approved' })
      assert.equal(guess.body.matched, true)
    }
    assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
  }
})

test('wrong guesses beside resends: the cap holds over every version of the code', async () => {
  const { serverKey } = await createTenant(nodes[0], { max_sends: 10, code_length: 8 })
  const { otpId, code, recipient } = await started(nodes[0], serverKey)
  const answers = await together(60, (node, index) =>
    index % 10 === 0
      ? resend(node, serverKey, otpId, index % 20 === 0 ? 'sms' : 'telegram')
      : verify(node, serverKey, otpId, String(index).padStart(8, '0')),
  )
  const matched = answers.filter(({ body }) => body.matched === true)
  assert.deepEqual(matched, [])
  assert.equal(answers.filter(({ body }) => body.matched === false).length, 5)
  assert.equal(await attemptsSpent(database, otpId), 5)
  assert.deepEqual(await eventTypes(database, otpId), ['otp.failed'])
  const sent = nodes[0].capture.to(recipient).map((captured) => captured.code)
  for (const each of new Set([code, ...sent])) {
    assert.equal((await verify(nodes[1], serverKey, otpId, each)).status, 409)
  }
})

/** Resolves after guesses have been judged this many times from now on. */
const judgedTimes = (times: number) =>
  new Promise<void>((resolve) => {
    let left = times
    const hear = (text: unknown) => {
      if (!String(text).includes('guesses that came together') || --left > 0) return
      unsubscribe('countersign:statement', hear)
      resolve()
    }
    subscribe('countersign:statement', hear)
  })

test('a wrong code spends its attempt though somebody else has the approved verification locked', async () => {
  const tenant = await createOwnTenant()
  const { otpId, code } = await started(nodes[0], tenant.serverKey)
  await verify(nodes[0], tenant.serverKey, otpId, code)
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await other.query('begin')
  await other.query('select 1 from verifications where otp_id = $1 for update', [otpId])
  // The second judgement means that it has met the lock; an answer before that would have spent no attempt.
  const judgedAgain = judgedTimes(2)
  const guess = verify(nodes[0], tenant.serverKey, otpId, wrongCode(code))
  await Promise.race([guess, judgedAgain])
  await other.query('rollback')
  await other.end()
  const { body } = await guess
  assert.deepEqual(body.error.details, { otp_status: 'approved' })
  assert.equal(await attemptsSpent(database, otpId), 1)
})

test('what one node has decided is the truth on the other at once', async () => {
  const tenant = await createOwnTenant()
  const { otpId, code } = await started(nodes[0], tenant.serverKey)
  const wrong = await verify(nodes[0], tenant.serverKey, otpId, wrongCode(code))
  assert.equal(wrong.body.attempts_remaining, 4)
  assert.equal((await status(nodes[1], tenant.serverKey, otpId)).body.attempts_remaining, 4)
  const first = await verify(nodes[1], tenant.publishableKey, otpId, code)
  assert.deepEqual((await verify(nodes[0], tenant.publishableKey, otpId, code)).body, first.body)
  assert.equal((await status(nodes[0], tenant.serverKey, otpId)).body.verified_at, first.body.verified_at)
  assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
})
