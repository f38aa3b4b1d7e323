import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  guessingOf,
  guessWrong,
  putGuesses,
  raiseAlarm,
  settleGuesses,
  startGuessingService,
} from './guessing-support.ts'
import { createTenant, started, until, verify, wrongCode } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

const service = await startGuessingService()
const { database, clock, nodes } = service
const [node, other] = nodes
after(service.close)

describe('the watch over wrong codes', () => {
  it('raises an alarm at 200 wrong codes in an hour and not at 199, once, and says so in the log and a metric', async () => {
    const tenant = await createTenant(node)
    await putGuesses(service, tenant.appId, { guesses: 198, failures: 198 })
    await guessWrong(node, tenant)
    await settleGuesses(node, tenant)
    const quiet = await guessingOf(other, tenant.appId)
    assert.deepEqual([quiet.failures, quiet.alarmed_since], [199, null])
    await guessWrong(other, tenant)
    const { alarmed_since, ...alarmed } = await until('the alarm', async () => {
      const body = await guessingOf(node, tenant.appId)
      return body.alarmed_since && body
    })
    assert.deepEqual([alarmed.guesses, alarmed.failures, alarmed.ratio], [201, 200, 200 / 201])
    assert.deepEqual([alarmed.usual_ratio, alarmed.alarm_failures, alarmed.window_s], [null, 200, 3_600])
    await guessWrong(node, tenant)
    await guessWrong(other, tenant)
    assert.equal((await guessingOf(node, tenant.appId)).alarmed_since, alarmed_since)
    const lines = nodes.flatMap(({ logged }) =>
      logged.filter(({ message, fields }) => /wrong codes/.test(message) && fields.app_id === tenant.appId),
    )
    assert.equal(lines.length, 1)
    for (const each of nodes) {
      await until('the gauge', async () =>
        /countersign_guessing_alarms [1-9]/.test(String((await each.call('GET', '/metrics')).body)),
      )
    }
  })

  it('raises it at three times the share of the seven days before, and not below', async () => {
    // 90 of 1900, and ten of the hundred guesses that every app is credited with: one in twenty.
    const usual = { guesses: 1_900, failures: 90, minutesAgo: 7 * 24 * 60 }
    // The seven days end where the last hour begins.
    const older = { guesses: 5_000, failures: 5_000, minutesAgo: 7 * 24 * 60 + 66 }
    const [below, at] = [await createTenant(node), await createTenant(node)]
    for (const { appId } of [below, at]) {
      await putGuesses(service, appId, usual)
      await putGuesses(service, appId, older)
    }
    // With the wrong code that follows: 300 of 2001, and 300 of 2000.
    await putGuesses(service, below.appId, { guesses: 2_000, failures: 299 })
    await putGuesses(service, at.appId, { guesses: 1_999, failures: 299 })
    await guessWrong(node, at)
    await until('the alarm', async () => (await guessingOf(node, at.appId)).alarmed_since !== null)
    await guessWrong(node, below)
    await settleGuesses(node, below)
    const seen = await guessingOf(node, below.appId)
    assert.equal(seen.alarmed_since, null)
    assert.ok(seen.ratio < 0.15 && Math.abs(seen.alarm_ratio - 0.15) < 1e-9, JSON.stringify(seen))
  })

  it('counts right codes too, and forgets what is older than an hour', async () => {
    const tenant = await createTenant(node)
    await putGuesses(service, tenant.appId, { guesses: 400, failures: 400, minutesAgo: 66 })
    await guessWrong(node, tenant)
    await settleGuesses(node, tenant)
    const { guesses, failures, alarmed_since } = await guessingOf(node, tenant.appId)
    assert.deepEqual({ guesses, failures, alarmed_since }, { guesses: 2, failures: 1, alarmed_since: null })
    const kept = await database.query<{ is_kept: boolean }>(
      `select bool_and(expires_at > since + interval '7 days 1 hour') as is_kept from guess_counts where app_id = $1`,
      [tenant.appId],
    )
    assert.deepEqual(kept, [{ is_kept: true }])
  })

  it('holds nobody back: while alarmed each guess is judged at once, and the last attempt may be the right one', async () => {
    const tenant = await createTenant(node)
    await raiseAlarm(service, node, tenant)
    for (const [one, another] of [nodes, nodes.toReversed()]) {
      const { otpId, code } = await started(node, tenant.serverKey)
      for (const left of [4, 3, 2, 1]) {
        const { status, body } = await verify(one, tenant.serverKey, otpId, wrongCode(code))
        assert.deepEqual([status, body.attempts_remaining], [200, left])
      }
      assert.equal((await verify(another, tenant.serverKey, otpId, code)).body.matched, true)
    }
  })

  it('ends an alarm by itself, five minutes after the share has fallen', async () => {
    const tenant = await createTenant(node)
    await raiseAlarm(service, node, tenant)
    await putGuesses(service, tenant.appId, { guesses: 5_000, failures: 0, minutesAgo: 10 })
    await clock.advance(301)
    const { ratio, alarmed_since, alarmed_until } = await guessingOf(node, tenant.appId)
    assert.ok(ratio < 0.1)
    assert.deepEqual([alarmed_since, alarmed_until], [null, null])
  })

  it('sees no alarm and no codes of a clock that was ahead, once it is right', async () => {
    const tenant = await createTenant(node)
    const ahead = 2 * 86_400
    await clock.advance(ahead)
    await raiseAlarm(service, node, tenant)
    await clock.advance(-ahead)
    const { failures, alarmed_since } = await guessingOf(node, tenant.appId)
    assert.deepEqual([failures, alarmed_since], [0, null])
    await raiseAlarm(service, node, tenant)
  })

  it('writes down what it has counted before a node stops', async () => {
    const { capture } = node
    const { serverKey, appId } = await createTenant(node)
    const { otpId, code } = await started(node, serverKey)
    const stopping = await startNode(clock.url, { capture })
    await verify(stopping, serverKey, otpId, wrongCode(code))
    await stopping.close()
    assert.equal((await guessingOf(node, appId)).failures, 1)
  })

  for (const table of ['guess_counts', 'guess_alarms']) {
    it(`fails open without ${table}: codes are judged all the same, and a metric counts it`, async () => {
      const { serverKey } = await createTenant(node)
      const { otpId, code } = await started(node, serverKey)
      const skipped = async () =>
        Number(
          /countersign_guessing_skipped_total (\d+)/.exec(
            String((await node.call('GET', '/metrics')).body),
          )?.[1],
        )
      const before = await skipped()
      await database.query(`alter table ${table} rename to away`)
      try {
        assert.equal((await verify(node, serverKey, otpId, wrongCode(code))).status, 200)
        await until('the metric', async () => (await skipped()) > before)
        assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
      } finally {
        await database.query(`alter table away rename to ${table}`)
      }
    })
  }
})
