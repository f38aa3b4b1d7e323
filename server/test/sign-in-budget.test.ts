/** Limits on sign-in codes apply to the caller who asks: a stranger cannot use up somebody else's. */
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

    // Even if many strangers have used up an address's codes for the day, a session goes on, and can be proven.
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

  it('leaves a browser in which somebody has signed in their code, whatever strangers ask, guess and from where', async () => {
    const { companyId } = await createTenant(node)
    const [email, neighbour] = [freshEmail(), freshEmail()]
    const knownOf = async (address: string) => {
      await invite(node, companyId, address, 'viewer')
      const { body } = await ask(address, '10.0.0.1')
      const { code } = await message(node, address)
      const [, known = ''] = (await enter(body.otp_id, code, '10.0.0.1')).headers.getSetCookie()
      return known.split(';')[0] ?? ''
    }
    const [known, neighbours] = [await knownOf(email), await knownOf(neighbour)]
    const askWith = (cookie: string) =>
      node.call('POST', '/manage/v1/sign-in', {
        body: { email },
        headers: { ...from('10.0.0.1'), cookie },
      })
    // All from one /48. The person's own code was the first of the sixty in ten minutes.
    for (let network = 1; network <= 6; network++)
      await Promise.all(Array.from({ length: 10 }, () => ask(email, `2a02:6b8:bbbb:${network}::1`)))
    assert.equal((await ask(email, '2a02:6b8:bbbb:7::1')).body.error.details.scope, 'recipient')
    assert.equal((await askWith(known)).status, 200)

    // A whole day of it, the last sixty just now, with every code guessed at, and with the app's own limit used up.
    const nowMs = '(extract(epoch from now()) * 1000)::bigint'
    const fill = (label: string, count: number) =>
      service.database.query(
        `update limits set state =
            (select array_agg(${nowMs} - case when n > 60 then 3600000 else 0 end order by n desc)
               from generate_series(1, $2) n)
          where encode(limit_key, 'escape') like $1`,
        [`${label}:%`, count],
      )
    await fill('recipient', 200)
    await fill('failures', 1_000)
    await service.database.query(
      `update limits set state = array[(${nowMs} + 3600000) * 1000] where encode(limit_key, 'escape') like 'app%'`,
    )
    for (const cookie of ['', neighbours, known.slice(0, -1), `${known}A`])
      assert.equal((await askWith(cookie)).status, 429, cookie)
    const earlier = node.capture.to(email).length
    const own = await askWith(known)
    assert.equal(own.status, 200, JSON.stringify(own.body))
    const { code } = await message(node, email, earlier)
    assert.equal((await enter(own.body.otp_id, code, '10.0.0.1')).body.matched, true)

    // Codes for known browsers have their own limit.
    await fill('recipient', 250)
    assert.equal((await askWith(known)).body.error.details.scope, 'recipient')
  })

  it('for recorded refusals of strangers is separate from that of people who are signed in', async () => {
    // Its window does not end during the test.
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
