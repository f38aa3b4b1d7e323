import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  alarmedTenant,
  guessingOf,
  guessWrong,
  putGuesses,
  raiseAlarm,
  settleGuesses,
  startGuessingService,
} from './guessing-support.ts'
import { createApp, createTenant, started, until, verify, wrongCode } from './harness/fixtures.ts'
import { type Answer, startNode } from './harness/node.ts'
import { attemptsSpent } from './harness/records.ts'

const service = await startGuessingService()
const { database, clock, nodes } = service
const [node, other] = nodes
after(service.close)

function assertSlowed(answer: Answer, seconds: { from: number; to: number }): number {
  assert.equal(answer.status, 429, JSON.stringify(answer.body))
  assert.equal(answer.body.error.type, 'RateLimitExceededError')
  const { scope, retry_after } = answer.body.error.details
  assert.equal(scope, 'app')
  assert.equal(answer.headers.get('retry-after'), String(retry_after))
  assert.ok(retry_after >= seconds.from && retry_after <= seconds.to, String(retry_after))
  return retry_after
}
const minute = { from: 20, to: 60 }

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
    // 190 of 1900 and the hundred that every app is given: one in ten.
    const usual = { guesses: 1_900, failures: 190, minutesAgo: 3 * 24 * 60 }
    const older = { guesses: 5_000, failures: 5_000, minutesAgo: 8 * 24 * 60 }
    const [below, at] = [await createTenant(node), await createTenant(node)]
    for (const { appId } of [below, at]) {
      await putGuesses(service, appId, usual)
      await putGuesses(service, appId, older)
    }
    // With the wrong code to come: 300 of 1001, and of 1000.
    await putGuesses(service, below.appId, { guesses: 1_000, failures: 299 })
    await putGuesses(service, at.appId, { guesses: 999, failures: 299 })
    await guessWrong(node, at)
    await until('the alarm', async () => (await guessingOf(node, at.appId)).alarmed_since !== null)
    await guessWrong(node, below)
    await settleGuesses(node, below)
    const seen = await guessingOf(node, below.appId)
    assert.equal(seen.alarmed_since, null)
    assert.ok(seen.ratio < 0.3 && Math.abs(seen.alarm_ratio - 0.3) < 1e-9, JSON.stringify(seen))
  })

  it('counts right codes too, and forgets what is older than an hour', async () => {
    const tenant = await createTenant(node)
    await putGuesses(service, tenant.appId, { guesses: 400, failures: 400, minutesAgo: 66 })
    await guessWrong(node, tenant)
    await settleGuesses(node, tenant)
    const { guesses, failures, alarmed_since } = await guessingOf(node, tenant.appId)
    assert.deepEqual({ guesses, failures, alarmed_since }, { guesses: 2, failures: 1, alarmed_since: null })
  })

  it('while alarmed lets a right first code through, on every verification and node', async () => {
    const { serverKey } = await alarmedTenant(service)
    for (const each of [node, other, node]) {
      const { otpId, code } = await started(node, serverKey)
      assert.equal((await verify(each, serverKey, otpId, code)).body.matched, true)
    }
  })

  it('while alarmed has the next guess wait, right or wrong, on both nodes, without spending an attempt; the wait holds', async () => {
    const { serverKey } = await alarmedTenant(service)
    const { otpId, code } = await started(node, serverKey)
    const first = await verify(node, serverKey, otpId, wrongCode(code))
    assert.deepEqual([first.status, first.body.attempts_remaining], [200, 4])
    assertSlowed(await verify(other, serverKey, otpId, wrongCode(code)), minute)
    const seconds = assertSlowed(await verify(other, serverKey, otpId, code), minute)
    assert.equal(await attemptsSpent(database, otpId), 1)
    await clock.advance(seconds)
    const answer = await verify(other, serverKey, otpId, code)
    assert.deepEqual([answer.body.matched, answer.body.attempts_remaining], [true, 4])
  })

  it('while alarmed judges one of a hundred parallel guesses', async () => {
    const { serverKey } = await alarmedTenant(service)
    const { otpId, code } = await started(node, serverKey)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        verify(nodes[index % 2 ? 1 : 0], serverKey, otpId, wrongCode(code)),
      ),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    assert.equal(answers.filter((answer) => answer.status === 429).length, 99)
    assert.equal(await attemptsSpent(database, otpId), 1)
  })

  for (const code_ttl_s of [600, 60]) {
    it(`while alarmed leaves three guesses in the life of a code of ${code_ttl_s} s, to whoever waits as told`, async () => {
      const { serverKey } = await alarmedTenant(service, { code_ttl_s })
      const { otpId, code } = await started(node, serverKey)
      let judged = 0
      for (;;) {
        const answer = await verify(node, serverKey, otpId, wrongCode(code))
        if (answer.status === 409) break
        if (answer.status === 200) judged++
        else await clock.advance(Number(answer.headers.get('retry-after')))
        // The attack goes on, and with it the alarm.
        await database.query(
          `update guess_alarms set expires_at = now() + by + interval '5 minutes' from virtual.shift`,
        )
      }
      assert.equal(judged, 3)
    })
  }

  it('while alarmed has wrong codes after an approval spend their attempts, so that the token cannot be guessed', async () => {
    const { publishableKey } = await alarmedTenant(service)
    const { otpId, code } = await started(node, publishableKey)
    assert.equal((await verify(node, publishableKey, otpId, code)).body.matched, true)
    for (let spent = 1; spent <= 5; spent++) {
      assert.equal((await verify(node, publishableKey, otpId, wrongCode(code))).status, 409)
      assert.equal(await attemptsSpent(database, otpId), spent)
    }
    assert.equal((await verify(node, publishableKey, otpId, code)).status, 409)
  })

  it('leaves other apps alone', async () => {
    const { companyId } = await alarmedTenant(service)
    const { serverKey } = await createApp(node, companyId)
    const { otpId, code } = await started(node, serverKey)
    for (const _ of [1, 2, 3])
      assert.equal((await verify(node, serverKey, otpId, wrongCode(code))).status, 200)
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
  })

  it('ends an alarm by itself, five minutes after the share has fallen', async () => {
    const { serverKey, appId } = await alarmedTenant(service)
    const { otpId, code } = await started(node, serverKey)
    await verify(node, serverKey, otpId, wrongCode(code))
    assertSlowed(await verify(node, serverKey, otpId, code), minute)
    await putGuesses(service, appId, { guesses: 5_000, failures: 0, minutesAgo: 10 })
    await clock.advance(301)
    const { ratio, alarmed_since, alarmed_until } = await guessingOf(node, appId)
    assert.ok(ratio < 0.1)
    assert.deepEqual([alarmed_since, alarmed_until], [null, null])
    const later = await started(node, serverKey)
    await until('the node to know', async () => {
      const { status } = await verify(node, serverKey, later.otpId, wrongCode(later.code))
      return status === 200 && (await attemptsSpent(database, later.otpId)) === 2
    })
    assert.equal((await verify(node, serverKey, later.otpId, later.code)).body.matched, true)
  })

  it('keeps nobody waiting where only the simulator carries messages, and is raised there all the same', async () => {
    const { capture } = node
    const simulated = await startNode(clock.url, {
      capture,
      builtIn: () => capture.providers().map((provider) => ({ ...provider, isSimulated: true })),
    })
    try {
      const tenant = await createTenant(simulated)
      await raiseAlarm(service, simulated, tenant)
      for (const _ of [1, 2]) await settleGuesses(simulated, tenant)
      const { otpId, code } = await started(simulated, tenant.serverKey)
      for (const _ of [1, 2]) {
        assert.equal((await verify(simulated, tenant.serverKey, otpId, wrongCode(code))).status, 200)
      }
    } finally {
      await simulated.close()
    }
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
    it(`fails open without ${table}: codes are judged without a wait, and a metric counts it`, async () => {
      const { serverKey } = await alarmedTenant(service)
      const { otpId, code } = await started(node, serverKey)
      assert.equal((await verify(node, serverKey, otpId, wrongCode(code))).status, 200)
      const skipped = async () =>
        Number(
          /countersign_guessing_skipped_total (\d+)/.exec(
            String((await node.call('GET', '/metrics')).body),
          )?.[1],
        )
      const before = await skipped()
      await database.query(`alter table ${table} rename to away`)
      try {
        await until('the metric', async () => (await skipped()) > before)
        assert.equal((await verify(node, serverKey, otpId, wrongCode(code))).status, 200)
        assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
      } finally {
        await database.query(`alter table away rename to ${table}`)
      }
    })
  }
})
