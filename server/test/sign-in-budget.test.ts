/** Who asks for codes pays for them: a stranger cannot use up somebody else's. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { recordRefusal, WindowBudget } from '../src/domain/members/index.ts'
import { createTenant, freshEmail, message, wrongCode } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { cookieOf, invite, withCookie } from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'

describe('the budget of signing in', () => {
  let service: Service
  let node: Node

  before(async () => {
    service = await startService({ trustedProxies: ['127.0.0.0/8'] })
    node = service.node
  })
  after(() => service.close())

  const from = (address: string) => ({ origin: node.baseUrl, 'x-forwarded-for': address })
  const ask = (email: string, address: string) =>
    node.call('POST', '/manage/v1/sign-in', { body: { email }, headers: from(address) })
  const enter = (otpId: string, code: string, address: string) =>
    node.call('POST', '/manage/v1/sign-in/code', { body: { otp_id: otpId, code }, headers: from(address) })

  it('is the requester’s: ten codes in ten minutes from one address, and the next is told so', async () => {
    const email = freshEmail()
    const answers = await Promise.all(Array.from({ length: 14 }, () => ask(email, '81.2.69.160')))
    assert.equal(answers.filter(({ status }) => status === 200).length, 10)
    const refused = answers.find(({ status }) => status === 429)
    assert.equal(refused?.body.error.details.scope, 'ip')
  })

  it('is one for a /64 of IPv6', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ask(freshEmail(), `2a02:6b8:aaaa:1::${index + 1}`)),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 10)
    assert.equal((await ask(freshEmail(), '2a02:6b8:aaaa:2::1')).status, 200)
  })

  it('leaves a person their code, however many a stranger has asked for and guessed wrong', async () => {
    const { companyId } = await createTenant(node)
    const email = freshEmail()
    await invite(node, companyId, email, 'viewer')
    const stranger = '81.2.69.161'
    for (let round = 0; round < 10; round++) {
      const { status, body } = await ask(email, stranger)
      assert.equal(status, 200)
      const { code } = await message(node, email, round)
      for (let guess = 0; guess < 5; guess++) await enter(body.otp_id, wrongCode(code), stranger)
    }
    assert.equal((await ask(email, stranger)).status, 429)
    const own = await ask(email, '81.2.69.170')
    assert.equal(own.status, 200, JSON.stringify(own.body))
    const { code } = await message(node, email, 10)
    assert.equal(code.length, 8)
    const answer = await enter(own.body.otp_id, code, '81.2.69.170')
    assert.equal(answer.body.matched, true)

    // Even where many strangers have used up what an address gets in a day, a session goes on, and can be proven.
    const person = withCookie(node, email, cookieOf(answer))
    await service.database.query(
      `update limits set state = (select array_agg((extract(epoch from now()) * 1000)::bigint) from generate_series(1, 200))
        where encode(limit_key, 'escape') like 'recipient:%'`,
    )
    assert.equal((await ask(email, '81.2.69.171')).body.error.details.scope, 'recipient')
    assert.equal((await person.call('GET', '/me')).status, 200)
    await service.database.query(
      `update limits set state = state[1:60] where encode(limit_key, 'escape') like 'recipient:%'`,
    )
    assert.equal((await ask(email, '81.2.69.171')).status, 429)
    assert.equal((await person.call('POST', '/me/proof')).status, 200)
    const passkey = await node.call('POST', '/manage/v1/sign-in/passkey/options', { headers: from(stranger) })
    assert.equal(passkey.status, 200)
  })

  it('of what is written down of strangers leaves that of people who are signed in as it is', async () => {
    // Its window does not end while the test runs.
    const budget = () => new WindowBudget(() => 0, { ofOne: 2, ofAll: 2 })
    const refusals = { strangers: budget(), known: budget() }
    const refuse = (actor: 'stranger' | 'person', who: string) =>
      recordRefusal(
        { ...node.app, refusals, onUnrecorded: () => assert.fail() },
        who,
        {
          companyId: null,
          actor,
          personId: null,
          action: 'tryHard',
          appId: null,
          subject: null,
          changes: {},
          address: null,
          requestId: 'req_of_a_budget',
        },
        'NotFoundError',
      )
    for (const who of ['a', 'b', 'c', 'd']) await refuse('stranger', who)
    await refuse('person', 'usr_1')
    const { body } = await node.manage('GET', '/audit')
    const tried = body.entries.filter(({ action }: { action: string }) => action === 'tryHard')
    assert.deepEqual(
      tried.map(({ actor }: { actor: { kind: string } }) => actor.kind),
      ['person', 'stranger', 'stranger'],
    )
  })
})
