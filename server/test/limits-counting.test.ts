import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  createApp,
  createTenant,
  freshPhone,
  send,
  sendPatiently,
  started,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import { ageCounts, assertScope, countedOf, officeIp, startLimitedService, vpnIp } from './limits-support.ts'

const { capture, database, nodes, close } = await startLimitedService()
after(close)

describe('what limits count', () => {
  /** As if this many more calls had been counted by the limit that allows one every `secondsApart`. */
  const count = (companyId: string, calls: number, secondsApart: number) =>
    database.query(
      `update limits set state = array[state[1] + ($2::bigint * $3::float8 * 1000000)::bigint]
        where company_id = $1 and state[1] = (select max(state[1]) from limits where company_id = $1)`,
      [companyId, calls, secondsApart],
    )

  it('a recipient is held to the short and to the long window alike', async () => {
    const { serverKey, companyId } = await createTenant(nodes[0], {
      limits: {
        recipient: [
          { max: 2, window_s: 60 },
          { max: 3, window_s: 3600 },
        ],
      },
    })
    const recipient = freshPhone()
    const call = () => send(nodes[0], serverKey, { recipient })
    for (const _ of [1, 2]) assert.equal((await call()).status, 200)
    assert.ok(Number((await call()).headers.get('retry-after')) <= 60)
    await ageCounts(database, companyId, 60)
    assert.equal((await call()).status, 200)
    const long = await call()
    assertScope(long, 'recipient')
    const seconds = Number(long.headers.get('retry-after'))
    assert.ok(seconds > 3500 && seconds <= 3540, String(seconds))
  })

  it('the apps of a company share a recipient’s count, and each is held to its own maximum', async () => {
    const strict = await createTenant(nodes[0], { limits: { recipient: [{ max: 2, window_s: 600 }] } })
    const lenient = await createApp(nodes[0], strict.companyId, {
      limits: { recipient: [{ max: 4, window_s: 600 }] },
    })
    const recipient = freshPhone()
    for (const _ of [1, 2]) assert.equal((await send(nodes[0], lenient.serverKey, { recipient })).status, 200)
    assertScope(await send(nodes[0], strict.serverKey, { recipient }), 'recipient')
    for (const _ of [3, 4]) assert.equal((await send(nodes[1], lenient.serverKey, { recipient })).status, 200)
    assertScope(await send(nodes[1], lenient.serverKey, { recipient }), 'recipient')
    assertScope(await send(nodes[1], strict.serverKey, { recipient }), 'recipient')
  })

  it('what one app counts over a short window stays counted for another that looks back further', async () => {
    const patient = await createTenant(nodes[0], { limits: { recipient: [{ max: 2, window_s: 3600 }] } })
    const brief = await createApp(nodes[0], patient.companyId, {
      limits: { recipient: [{ max: 5, window_s: 60 }] },
    })
    const recipient = freshPhone()
    assert.equal((await send(nodes[0], patient.serverKey, { recipient })).status, 200)
    await ageCounts(database, patient.companyId, 120)
    assert.equal((await send(nodes[0], brief.serverKey, { recipient })).status, 200)
    assertScope(await send(nodes[0], patient.serverKey, { recipient }), 'recipient')
  })

  it('an address is held to the short and to the long window alike', async () => {
    const { serverKey, companyId } = await createTenant(nodes[0], {
      limits: {
        ip: [
          { max: 2, window_s: 60 },
          { max: 3, window_s: 3600 },
        ],
        flagged_ip: [{ max: 1, window_s: 3600 }],
      },
    })
    const call = () => send(nodes[0], serverKey, { recipient: freshPhone(), client_ip: officeIp })
    for (const _ of [1, 2]) assert.equal((await call()).status, 200)
    assertScope(await call(), 'ip')
    await ageCounts(database, companyId, 60)
    assert.equal((await call()).status, 200)
    assertScope(await call(), 'ip')
  })

  it('another company’s sends to a recipient do not count', async () => {
    const limits = { recipient: [{ max: 1, window_s: 600 }] }
    const [one, other] = [await createTenant(nodes[0], { limits }), await createTenant(nodes[0], { limits })]
    const recipient = freshPhone()
    assert.equal((await send(nodes[0], one.serverKey, { recipient })).status, 200)
    assertScope(await send(nodes[0], one.serverKey, { recipient }), 'recipient')
    assert.equal((await send(nodes[0], other.serverKey, { recipient })).status, 200)
  })

  it('another app’s sends from an address do not count', async () => {
    const limits = { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] }
    const one = await createTenant(nodes[0], { limits })
    const sibling = await createApp(nodes[0], one.companyId, { limits })
    for (const _ of [1, 2]) {
      const call = { recipient: freshPhone(), client_ip: officeIp }
      assert.equal((await send(nodes[0], one.serverKey, call)).status, 200)
    }
    const call = { recipient: freshPhone(), client_ip: officeIp }
    assertScope(await send(nodes[0], one.serverKey, call), 'ip')
    assert.equal((await send(nodes[0], sibling.serverKey, call)).status, 200)
  })

  it('an approval gives its send back to the address, so an office behind one is not locked out', async () => {
    const limits = { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] }
    const { serverKey } = await createTenant(nodes[0], { limits })
    for (let person = 0; person < 6; person++) {
      const { otpId, code } = await started(nodes[0], serverKey, freshPhone(), { client_ip: officeIp })
      assert.equal((await verify(nodes[0], serverKey, otpId, code)).body.matched, true)
    }
    const call = () => send(nodes[0], serverKey, { recipient: freshPhone(), client_ip: officeIp })
    for (const _ of [1, 2]) assert.equal((await call()).status, 200)
    assertScope(await call(), 'ip')
  })

  it('an approval gives nothing back to the limit of a flagged address', async () => {
    const limits = { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] }
    const { serverKey } = await createTenant(nodes[0], { limits })
    const { otpId, code } = await started(nodes[0], serverKey, freshPhone(), { client_ip: vpnIp })
    assert.equal((await verify(nodes[0], serverKey, otpId, code)).body.matched, true)
    assertScope(await send(nodes[0], serverKey, { recipient: freshPhone(), client_ip: vpnIp }), 'flagged_ip')
  })

  it('a right code that is sent again gives nothing back a second time', async () => {
    const limits = { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] }
    const { serverKey } = await createTenant(nodes[0], { limits })
    const call = () => send(nodes[0], serverKey, { recipient: freshPhone(), client_ip: officeIp })
    const { otpId, code } = await started(nodes[0], serverKey, freshPhone(), { client_ip: officeIp })
    assert.equal((await call()).status, 200)
    await Promise.all([1, 2, 3].map(() => verify(nodes[0], serverKey, otpId, code)))
    assert.equal((await call()).status, 200)
    assertScope(await call(), 'ip')
  })

  for (const [scope, who] of [
    ['recipient', () => ({ recipient: '+447400123456', client_ip: officeIp })],
    ['ip', () => ({ recipient: freshPhone(), client_ip: officeIp })],
  ] as const) {
    it(`a maximum too high to count one by one is a limit all the same (${scope})`, async () => {
      const high = [{ max: 1_001, window_s: 86_400 }]
      const higher = [{ max: 1_000_000, window_s: 60 }]
      const limits = { recipient: higher, ip: higher, [scope]: high }
      const { serverKey, companyId } = await createTenant(nodes[0], { limits })
      assert.equal((await send(nodes[0], serverKey, who())).status, 200)
      await count(companyId, 950, 86_400 / 1_001)
      const calls = Array.from({ length: 100 }, (_, index) =>
        sendPatiently(nodes[index % 2 ? 1 : 0], serverKey, who()),
      )
      const passed = (await Promise.all(calls)).filter(({ status }) => status === 200)
      assert.equal(1 + 950 + passed.length, 1_001)
      assertScope(await send(nodes[0], serverKey, who()), scope)
    })
  }

  it('a count that is short holds beside one that is high, and an approval gives back to it', async () => {
    const limits = {
      ip: [
        { max: 2, window_s: 600 },
        { max: 5_000, window_s: 86_400 },
      ],
      flagged_ip: [{ max: 1, window_s: 86_400 }],
    }
    const { serverKey } = await createTenant(nodes[0], { limits })
    const call = () => send(nodes[0], serverKey, { recipient: freshPhone(), client_ip: officeIp })
    const { otpId, code } = await started(nodes[0], serverKey, freshPhone(), { client_ip: officeIp })
    assert.equal((await call()).status, 200)
    assertScope(await call(), 'ip')
    await verify(nodes[0], serverKey, otpId, code)
    assert.equal((await call()).status, 200)
    assertScope(await call(), 'ip')
  })

  it('addresses of one IPv6 /64 share a count, and a v4-mapped address shares that of its IPv4', async () => {
    const limits = { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] }
    const { serverKey } = await createTenant(nodes[0], { limits })
    const call = (client_ip: string) => send(nodes[0], serverKey, { recipient: freshPhone(), client_ip })
    assert.equal((await call('2a00:1450:4001:81b::1')).status, 200)
    assert.equal((await call('2A00:1450:4001:081B:ffff:ffff:ffff:ffff')).status, 200)
    assertScope(await call('2a00:1450:4001:81b:1234::'), 'ip')
    assert.equal((await call('2a00:1450:4001:81c::1')).status, 200)
    assert.equal((await call('9.9.9.9')).status, 200)
    assert.equal((await call('::ffff:9.9.9.9')).status, 200)
    assertScope(await call('64:ff9b::909:909'), 'ip')
  })

  it('spellings of one mailbox and of one phone number share a count', async () => {
    const limits = { recipient: [{ max: 1, window_s: 600 }] }
    for (const [first, ...others] of [
      ['Some.One@gmail.com', 'someone@gmail.com', 'some.one+tag@googlemail.com', 'SOMEONE@GMAIL.COM'],
      ['person@example.org', 'Person+news@EXAMPLE.org', 'PERSON@example.org'],
      ['a@bücher.example.com', 'a@xn--bcher-kva.example.com'],
      ['+5491123456789', '+541123456789'],
    ]) {
      const { serverKey } = await createTenant(nodes[0], { limits })
      assert.equal((await send(nodes[0], serverKey, { recipient: first })).status, 200, first)
      for (const recipient of others) assertScope(await send(nodes[0], serverKey, { recipient }), 'recipient')
    }
  })

  it('past the limit of failed guesses new sends to a recipient are refused, and a pending one can be completed', async () => {
    const limits = { recipient_failures: [{ max: 3, window_s: 86_400 }] }
    const { serverKey, companyId } = await createTenant(nodes[0], { limits })
    const recipient = freshPhone()
    const one = await started(nodes[0], serverKey, recipient)
    for (const _ of [1, 2]) await verify(nodes[0], serverKey, one.otpId, wrongCode(one.code))
    assert.equal((await send(nodes[1], serverKey, { recipient })).status, 200)
    const pending = await until('the second code', () => capture.to(recipient)[1])
    assert.notEqual(pending.code, one.code)
    await verify(nodes[0], serverKey, one.otpId, wrongCode(one.code))
    assertScope(await send(nodes[1], serverKey, { recipient }), 'recipient')
    assert.equal((await verify(nodes[0], serverKey, one.otpId, one.code)).body.matched, true)
    assertScope(await send(nodes[1], serverKey, { recipient }), 'recipient')
    await ageCounts(database, companyId, 86_400)
    assert.equal((await send(nodes[1], serverKey, { recipient })).status, 200)
  })

  it('a count that goes on is kept for its whole window from the last send, also if it was about to expire', async () => {
    const { serverKey, companyId } = await createTenant(nodes[0], {
      limits: { recipient: [{ max: 5, window_s: 3600 }] },
    })
    const recipient = freshPhone()
    assert.equal((await send(nodes[0], serverKey, { recipient })).status, 200)
    await database.query(`update limits set expires_at = now() + interval '1 minute' where company_id = $1`, [
      companyId,
    ])
    assert.equal((await sendPatiently(nodes[0], serverKey, { recipient })).status, 200)
    const kept = await database.query<{ is_kept: boolean }>(
      `select expires_at > now() + interval '50 minutes' as is_kept from limits
        where company_id = $1 and encode(limit_key, 'escape') like 'recipient:%'`,
      [companyId],
    )
    assert.deepEqual(kept, [{ is_kept: true }])
  })

  it('wrong codes are kept for a day, which is the longest window that can be set for them', async () => {
    const { serverKey, companyId } = await createTenant(nodes[0])
    const { otpId, code } = await started(nodes[0], serverKey, freshPhone())
    await verify(nodes[0], serverKey, otpId, wrongCode(code))
    const kept = await database.query<{ hours: number }>(
      `select round(extract(epoch from expires_at - to_timestamp(state[1] / 1000.0)) / 3600)::integer as hours
         from limits where company_id = $1 and encode(limit_key, 'escape') like 'failures:%'`,
      [companyId],
    )
    assert.deepEqual(kept, [{ hours: 24 }])
  })

  it('of several limits of one scope the one that lasts longest says how long to wait', async () => {
    const { serverKey, companyId } = await createTenant(nodes[0], {
      limits: {
        recipient: [{ max: 1, window_s: 600 }],
        recipient_failures: [{ max: 1, window_s: 3_600 }],
      },
    })
    const recipient = freshPhone()
    const one = await started(nodes[0], serverKey, recipient)
    await verify(nodes[0], serverKey, one.otpId, wrongCode(one.code))
    const refused = await send(nodes[1], serverKey, { recipient })
    assertScope(refused, 'recipient')
    const waitSeconds = Number(refused.headers.get('retry-after'))
    assert.ok(waitSeconds > 600, String(waitSeconds))
    await ageCounts(database, companyId, waitSeconds)
    assert.equal((await send(nodes[1], serverKey, { recipient })).status, 200)
  })

  it('a preview counts nothing and says what a send would', async () => {
    const limits = { recipient: [{ max: 1, window_s: 600 }] }
    const { serverKey, companyId } = await createTenant(nodes[0], { limits })
    const recipient = freshPhone()
    const look = () =>
      nodes[0].call('POST', '/api/v1/routing/preview', { key: serverKey, body: { recipient } })
    for (const _ of [1, 2, 3]) assert.equal((await look()).body.channel, 'sms')
    assert.deepEqual(await countedOf(database, companyId), [])
    assert.equal((await send(nodes[0], serverKey, { recipient })).status, 200)
    const { body } = await look()
    assert.equal(body.error.type, 'RateLimitExceededError')
    assert.equal(body.error.details.scope, 'recipient')
  })
})
