import assert from 'node:assert/strict'
import type { LookupFunction } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { twilio } from '../../src/channels/twilio/index.ts'
import { drop, garbage, type HttpPeer, huge, json, startHttpPeer } from './http-peer.ts'
import { closedPort, generousDeadline, outgoing } from './support.ts'
import { MESSAGE_SID, open, SID } from './twilio-support.ts'

async function openWithPeer(test: TestContext): Promise<{ peer: HttpPeer; account: ProviderAccount }> {
  const peer = await startHttpPeer(test)
  return { peer, account: open(test, peer.url) }
}

/** Resolves every name to the loopback address. */
const answerLoopback: LookupFunction = (_name, _options, done) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])

describe('twilio: sending', () => {
  it('posts the form that the API takes, with its own callback address for each delivery', async (test) => {
    const { peer, account } = await openWithPeer(test)
    peer.answer = json(201, { sid: MESSAGE_SID, status: 'queued', price: null })
    const outcome = await account.send(outgoing({ ttlSeconds: 599.7 }), generousDeadline())
    assert.deepEqual(outcome, { kind: 'accepted', messageId: MESSAGE_SID })
    const [request] = peer.requests
    assert.equal(request?.url, `/2010-04-01/Accounts/${SID}/Messages.json`)
    assert.equal(request?.headers.authorization, `Basic ${Buffer.from(`${SID}:12345`).toString('base64')}`)
    assert.deepEqual(Object.fromEntries(new URLSearchParams(request?.body)), {
      To: '+14155550123',
      From: '+14155550100',
      Body: 'Your ACME code is 123456',
      StatusCallback: 'https://otp.example/callbacks/acc_1?delivery=dlv_01',
      ValidityPeriod: '599',
    })
  })

  it('keeps the validity within what Twilio takes', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const ttlSeconds of [0.5, 599.9, 14_400, 86_400])
      await account.send(outgoing({ ttlSeconds }), generousDeadline())
    assert.deepEqual(
      peer.requests.map((request) => new URLSearchParams(request.body).get('ValidityPeriod')),
      ['1', '599', '14400', '14400'],
    )
  })

  it('names Twilio itself no callback address that it could not reach, and a stand-in any', async (test) => {
    const peer = await startHttpPeer(test)
    peer.answer = json(201, { sid: MESSAGE_SID })
    const { port } = new URL(peer.url)
    const toPeer = { lookup: answerLoopback }
    const callbackOf = async (account: ProviderAccount, host: string) => {
      await account.send(outgoing({ callbackUrl: `http://${host}/hooks/acc_1` }), generousDeadline())
      return new URLSearchParams(peer.requests.at(-1)?.body).get('StatusCallback')
    }
    const openAt = (host: string) => open(test, `http://${host}:${port}`, {}, toPeer)
    const itself = ['api.twilio.com', 'api.sydney.au1.twilio.com'].map(openAt)
    const standIns = ['127.0.0.1', 'gateway.example', 'nottwilio.com', 'twilio.com.example'].map(openAt)
    const addresses = ['127.0.0.1', '[::1]:3000', '10.0.0.5', '192.168.1.2:3000', '[fd00::1]']
    const names = ['localhost:3000', 'otp.localhost', 'countersign:3000', 'otp.local', 'otp.internal']
    for (const host of [...addresses, ...names]) {
      for (const account of itself) assert.equal(await callbackOf(account, host), null, host)
      for (const account of standIns) {
        assert.equal(await callbackOf(account, host), `http://${host}/hooks/acc_1?delivery=dlv_01`)
      }
    }
    for (const host of ['otp.example', '8.8.8.8:3000', '[2606:4700::1111]']) {
      for (const account of itself) {
        assert.equal(await callbackOf(account, host), `http://${host}/hooks/acc_1?delivery=dlv_01`)
      }
    }
  })

  it('signs in with an API key and sends from a messaging service when they are set', async (test) => {
    const peer = await startHttpPeer(test)
    peer.answer = json(201, { sid: MESSAGE_SID })
    const account = open(test, peer.url, {
      from: undefined,
      messaging_service_sid: 'MG00000000000000000000000000000001',
      api_key_sid: 'SK00000000000000000000000000000001',
      api_key_secret: 'secret',
    })
    await account.send(outgoing(), generousDeadline())
    const [request] = peer.requests
    assert.equal(
      request?.headers.authorization,
      `Basic ${Buffer.from('SK00000000000000000000000000000001:secret').toString('base64')}`,
    )
    const form = new URLSearchParams(request?.body)
    assert.equal(form.get('MessagingServiceSid'), 'MG00000000000000000000000000000001')
    assert.equal(form.has('From'), false)
  })

  it('maps every error it knows to what follows from it', async (test) => {
    const { peer, account } = await openWithPeer(test)
    const expected: [number, number, string][] = [
      [400, 21211, 'refused'],
      [400, 21408, 'refused'],
      [400, 21610, 'refused'],
      [400, 21612, 'refused'],
      [400, 21614, 'unreachable'],
      [400, 21635, 'unreachable'],
      [401, 20003, 'broken'],
      [400, 21606, 'broken'],
      [429, 20429, 'retry'],
      [400, 30001, 'retry'],
      [500, 99999, 'retry'],
    ]
    for (const [status, code, kind] of expected) {
      peer.answer = json(status, {
        code,
        message: 'The number +14155550123 is not good',
        more_info: '',
        status,
      })
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.equal(outcome.kind, kind, String(code))
      assert.ok(outcome.kind !== 'accepted')
      assert.equal(outcome.error.code, String(code))
      assert.doesNotMatch(outcome.error.message, /4155550123/)
    }
  })

  it('reads an error whose code is a text, or that has no words', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const answer of [
      { code: '21614', message: 'not a mobile number' },
      { code: 21614, message: null },
      { code: 21614 },
    ]) {
      peer.answer = json(400, answer)
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.equal(outcome.kind, 'unreachable', JSON.stringify(answer))
    }
  })

  it('believes an answer that says that the message has already failed, since no callback will', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const [answer, kind, code] of [
      [{ status: 'failed', error_code: 30008, error_message: 'Unknown' }, 'refused', '30008'],
      [{ status: 'undelivered', error_code: 30006, error_message: null }, 'unreachable', '30006'],
      [{ status: 'failed', error_code: 30002 }, 'broken', '30002'],
      [{ status: 'failed', error_code: 30001 }, 'retry', '30001'],
      [{ status: 'failed', error_code: null }, 'refused', 'failed'],
      [{ status: 'queued', error_code: null }, 'accepted', undefined],
      [{ status: null }, 'accepted', undefined],
    ] as const) {
      peer.answer = json(201, { sid: 'SM1', ...answer })
      const outcome = await account.send(outgoing(), generousDeadline())
      assert.equal(outcome.kind, kind, JSON.stringify(answer))
      assert.equal(outcome.kind === 'accepted' ? undefined : outcome.error.code, code)
    }
  })

  it('waits as long as a throttled answer says', async (test) => {
    const { peer, account } = await openWithPeer(test)
    peer.answer = json(429, { code: 20429, message: 'Too many requests' }, { 'retry-after': '7' })
    const outcome = await account.send(outgoing(), generousDeadline())
    assert.ok(outcome.kind === 'retry')
    assert.equal(outcome.afterSeconds, 7)
  })

  it('is uncertain whenever the request left and no usable answer came', async (test) => {
    const { peer, account } = await openWithPeer(test)
    for (const answer of [drop, garbage, huge]) {
      peer.answer = answer
      assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'uncertain')
    }
    const deadline = new AbortController()
    peer.answer = () => deadline.abort()
    assert.equal((await account.send(outgoing(), deadline.signal)).kind, 'uncertain')
  })

  it('may be tried again when nothing listens', async (test) => {
    const account = open(test, `http://127.0.0.1:${closedPort}`)
    assert.equal((await account.send(outgoing(), generousDeadline())).kind, 'retry')
  })
})

describe('twilio: settings', () => {
  it('name the sender exactly once and tell what is wrong', () => {
    const base = { account_sid: SID, auth_token: 'x' }
    assert.equal(twilio.settings.safeParse(base).success, false)
    assert.equal(
      twilio.settings.safeParse({
        ...base,
        from: '+14155550100',
        messaging_service_sid: `MG${'0'.repeat(32)}`,
      }).success,
      false,
    )
    assert.equal(twilio.settings.safeParse({ ...base, from: 'ACME', unknown: 1 }).success, false)
    assert.equal(
      twilio.settings.safeParse({ ...base, from: 'ACME', api_key_sid: `SK${'0'.repeat(32)}` }).success,
      false,
    )
    assert.equal(twilio.settings.parse({ ...base, from: 'ACME' }).base_url, 'https://api.twilio.com')
  })
})
