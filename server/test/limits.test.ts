import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  createTenant,
  freshPhone,
  send,
  sendPatiently,
  until,
  untilInForce,
  verify,
} from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'
import { ageCounts, assertScope, countedOf, officeIp, startLimitedService, vpnIp } from './limits-support.ts'

const { capture, database, nodes, close } = await startLimitedService()
after(close)

describe('limits', () => {
  const parallel = (count: number, call: (node: Node, index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, index) => call(nodes[index % 2 ? 1 : 0], index)))
  const accepted = (answers: readonly Answer[]) => answers.filter((answer) => answer.status === 200)
  const scopes = [
    { scope: 'recipient', limits: { recipient: [{ max: 5, window_s: 600 }] }, body: () => ({}), isOne: true },
    {
      scope: 'ip',
      limits: { ip: [{ max: 5, window_s: 600 }], flagged_ip: [{ max: 4, window_s: 600 }] },
      body: () => ({ client_ip: officeIp }),
    },
    {
      scope: 'flagged_ip',
      limits: { ip: [{ max: 1_000, window_s: 600 }], flagged_ip: [{ max: 5, window_s: 600 }] },
      body: () => ({ client_ip: vpnIp }),
    },
    {
      scope: 'app',
      limits: { app: [{ max: 5, window_s: 600 }], app_without_ip: [{ max: 4, window_s: 600 }] },
      body: (index: number) => ({ client_ip: `81.2.${70 + (index >> 8)}.${index & 255}` }),
    },
    {
      scope: 'app_without_ip',
      limits: { app_without_ip: [{ max: 5, window_s: 600 }] },
      body: () => ({}),
    },
  ]
  for (const metered of [true, false]) {
    for (const { scope, limits, body, isOne } of scopes) {
      it(`of 100 parallel sends over two nodes exactly 5 pass a limit of 5 (${scope}, ${metered ? 'metered' : 'unmetered'})`, async () => {
        const tenant = await createTenant(nodes[0], { limits }, { metered })
        const recipient = freshPhone()
        const answers = await parallel(100, (node, index) =>
          sendPatiently(node, tenant.serverKey, {
            recipient: isOne ? recipient : freshPhone(),
            ...body(index),
          }),
        )
        assert.equal(accepted(answers).length, 5)
        for (const answer of answers) if (answer.status !== 200) assertScope(answer, scope)
        const [stored] = await database.query<{ verifications: string; deliveries: string }>(
          `select (select count(*) from verifications where app_id = $1) as verifications,
                  (select count(*) from deliveries where app_id = $1) as deliveries`,
          [tenant.appId],
        )
        assert.deepEqual(stored, { verifications: '5', deliveries: '5' })
        const { body: company } = await nodes[0].manage('GET', `/companies/${tenant.companyId}`)
        assert.equal(company.balance, metered ? '999.750000' : '1000.000000')
      })
    }
  }

  it('190 parallel wrong codes for one recipient over two nodes are all counted, and then none of 100 parallel sends passes', async () => {
    const { serverKey, companyId } = await createTenant(nodes[0], {
      limits: { recipient_failures: [{ max: 190, window_s: 600 }] },
    })
    const recipient = freshPhone()
    const sent = await parallel(38, (node) => send(node, serverKey, { recipient }))
    assert.equal(accepted(sent).length, 38)
    const guesses = sent.flatMap(({ body }) => Array.from({ length: 5 }, () => body.otp_id as string))
    const codes = await until('all codes', () => {
      const messages = capture.to(recipient)
      return messages.length === 38 && new Set(messages.map((message) => message.code))
    })
    const wrong = [
      '000000',
      '111111',
      '222222',
      ...Array.from({ length: 40 }, (_, index) => String(333_000 + index)),
    ]
    const guess = wrong.find((code) => !codes.has(code)) ?? ''
    await parallel(189, (node, index) => verify(node, serverKey, guesses[index] ?? '', guess))
    assert.equal((await send(nodes[0], serverKey, { recipient })).status, 200)
    await verify(nodes[1], serverKey, guesses[189] ?? '', guess)
    const failures = (await countedOf(database, companyId)).find(({ key }) => key.startsWith('failures'))
    assert.equal(failures?.state.length, 190)
    const refused = await parallel(100, (node) => sendPatiently(node, serverKey, { recipient }))
    for (const answer of refused) assertScope(answer, 'recipient')
  })

  for (const { scope, limits, body, isOne } of scopes) {
    it(`the Retry-After of a refusal, once waited, lets the next send through (${scope})`, async () => {
      const { serverKey, companyId } = await createTenant(nodes[0], { limits })
      const recipient = freshPhone()
      const call = (index: number) =>
        send(nodes[0], serverKey, { recipient: isOne ? recipient : freshPhone(), ...body(index) })
      const answers = await Promise.all(Array.from({ length: 9 }, (_, index) => call(index)))
      assert.equal(accepted(answers).length, 5)
      const late = answers.filter((answer) => answer.status !== 200)
      for (const answer of late) assertScope(answer, scope)
      const seconds = Math.max(...late.map((answer) => Number(answer.headers.get('retry-after'))))
      assert.ok(seconds <= 600)
      await ageCounts(database, companyId, seconds)
      assert.equal((await call(9)).status, 200)
    })
  }

  it('a send that one limit refuses is counted by no other', async () => {
    const { serverKey, companyId } = await createTenant(nodes[0], {
      limits: {
        recipient: [{ max: 5, window_s: 600 }],
        ip: [{ max: 2, window_s: 600 }],
        flagged_ip: [{ max: 1, window_s: 600 }],
      },
    })
    const recipient = freshPhone()
    const call = (to = recipient) => send(nodes[0], serverKey, { recipient: to, client_ip: officeIp })
    for (const _ of [1, 2]) assert.equal((await call()).status, 200)
    const earlier = await countedOf(database, companyId)
    for (const _ of [1, 2, 3, 4]) assertScope(await call(), 'ip')
    assertScope(await call(freshPhone()), 'ip')
    assert.deepEqual(await countedOf(database, companyId), earlier)
    // Three of the recipient's five sends are left, from other addresses.
    for (const last of [1, 2, 3])
      assert.equal((await send(nodes[0], serverKey, { recipient, client_ip: `8.8.8.${last}` })).status, 200)
    assertScope(await send(nodes[0], serverKey, { recipient, client_ip: '8.8.8.9' }), 'recipient')
  })

  it('a send that the balance refuses is counted by no limit', async () => {
    const { serverKey, companyId } = await createTenant(
      nodes[0],
      { limits: { recipient: [{ max: 2, window_s: 600 }] } },
      { balance: '0' },
    )
    const recipient = freshPhone()
    for (const _ of [1, 2, 3, 4]) assert.equal((await send(nodes[0], serverKey, { recipient })).status, 402)
    assert.deepEqual(await countedOf(database, companyId), [])
    await nodes[0].manage('POST', `/companies/${companyId}/credits`, { amount: '1' })
    assert.equal((await send(nodes[0], serverKey, { recipient })).status, 200)
  })

  it('what is counted outlives the node that counted it', async () => {
    const limits = { recipient: [{ max: 2, window_s: 600 }], app_without_ip: [{ max: 3, window_s: 600 }] }
    const { serverKey } = await createTenant(nodes[0], { limits })
    const recipient = freshPhone()
    const first = await startNode(database.url)
    for (const _ of [1, 2]) assert.equal((await send(first, serverKey, { recipient })).status, 200)
    await first.close()
    const second = await startNode(database.url)
    try {
      assertScope(await send(second, serverKey, { recipient }), 'recipient')
      assert.equal((await send(second, serverKey, { recipient: freshPhone() })).status, 200)
      assertScope(await send(second, serverKey, { recipient: freshPhone() }), 'app_without_ip')
    } finally {
      await second.close()
    }
  })

  it('a flagged address is held to the tighter limit, and a neighbour that is not listed is not', async () => {
    const limits = { ip: [{ max: 6, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] }
    const { serverKey } = await createTenant(nodes[0], { limits })
    const call = (client_ip: string) => send(nodes[0], serverKey, { recipient: freshPhone(), client_ip })
    assert.equal((await call(vpnIp)).status, 200)
    assertScope(await call(vpnIp), 'flagged_ip')
    for (const _ of [1, 2]) assert.equal((await call('185.220.102.7')).status, 200)
  })

  for (const [scope, low, high] of [
    ['recipient', { max: 1, window_s: 600 }, { max: 2, window_s: 600 }],
    ['app', { max: 1, window_s: 86_400 }, { max: 2, window_s: 86_400 }],
  ] as const)
    it(`who was refused under a limit passes as soon as it is raised (${scope})`, async () => {
      const { serverKey, appId } = await createTenant(nodes[0], { limits: { [scope]: [low] } })
      const call = { recipient: freshPhone(), client_ip: officeIp }
      assert.equal((await send(nodes[0], serverKey, call)).status, 200)
      assertScope(await send(nodes[0], serverKey, call), scope)
      assert.equal(
        (await nodes[0].manage('PATCH', `/apps/${appId}`, { limits: { [scope]: [high] } })).status,
        200,
      )
      await untilInForce('the new limit', async () => (await send(nodes[1], serverKey, call)).status === 200)
      const over = await send(nodes[1], serverKey, call)
      assertScope(over, scope)
    })
})
