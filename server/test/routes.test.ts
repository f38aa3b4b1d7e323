/** Accounts that are chosen by the outcomes of their messages. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OutgoingMessage, Receipt } from '../src/channels/channel.ts'
import { makeSignInLink } from '../src/domain/members/index.ts'
import type { Provider } from '../src/domain/routing/index.ts'
import { ownCompanyId } from '../src/domain/tenancy/index.ts'
import { Capture } from './harness/capture.ts'
import type { TestDatabase } from './harness/database.ts'
import { createTenant, freshEmail, freshPhone, send, type Tenant, until, verify } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { cookieOf, invite, startSignIn, withCookie } from './harness/people.ts'
import { startTwoNodeService, type TwoNodeService } from './harness/service.ts'

const learned = { routing: { default: ['sms'], accounts: 'learned' } }
const prices = { first: '0.02', second: '0.05' } as const
type AccountName = keyof typeof prices

describe('accounts that are chosen by what they bring', () => {
  let service: TwoNodeService
  let database: TestDatabase
  let node: Node
  /** By recipient: what either account carried. */
  const carried = new Map<string, { readonly by: AccountName; readonly message: OutgoingMessage }>()
  /** Brings a receipt to the node that is asked for the routes, which writes its counts before it answers. */
  let put: (providerId: string, receipt: Receipt) => Promise<unknown>

  before(async () => {
    const [model] = new Capture().providers(['sms'])
    assert.ok(model)
    const accountOf = (by: AccountName, priority: number): Provider => ({
      ...model,
      providerId: by,
      priority,
      costs: { default: prices[by], countries: {} },
      account: {
        send: async (message) => {
          carried.set(message.recipient, { by, message })
          return { kind: 'accepted', messageId: `${by}-${message.deliveryId}` }
        },
        close: async () => {},
      },
    })
    service = await startTwoNodeService({
      builtIn: (receive) => {
        put ??= receive
        return [accountOf('second', 2), accountOf('first', 1)]
      },
    })
    database = service.database
    node = service.nodes[0]
  })
  after(() => service?.close())

  const routesOf = async ({ appId }: Pick<Tenant, 'appId'>, query = '?channel=sms&country=GB') => {
    const answer = await node.manage('GET', `/apps/${appId}/routes${query}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  it('are what the installation asks for, now and for apps that exist, unless an app says otherwise', async () => {
    const asking = await startNode(database.url, { role: 'api', routingAccounts: 'learned' })
    try {
      const said = async (from: Node, appId: string) => {
        const { routing, accounts_inherited } = (await from.manage('GET', `/apps/${appId}`)).body
        return [routing.accounts, accounts_inherited]
      }
      const made = async (from: Node, settings?: object) => (await createTenant(from, { ...settings })).appId
      const [silent, ordered, decided] = [
        await made(node),
        await made(asking, { routing: { default: ['sms'] } }),
        await made(asking, { routing: { accounts: 'priority' } }),
      ]
      for (const appId of [silent, ordered]) {
        assert.deepEqual(await said(asking, appId), ['learned', true])
        assert.deepEqual(await said(node, appId), ['priority', true])
      }
      assert.deepEqual(await said(asking, decided), ['priority', false])
      const change = (appId: string, routing: object) => node.manage('PATCH', `/apps/${appId}`, { routing })
      assert.equal((await change(silent, { default: ['sms', 'email'] })).body.accounts_inherited, true)
      assert.equal((await change(silent, { accounts: 'priority' })).body.accounts_inherited, false)
      assert.deepEqual(await said(asking, silent), ['priority', false])
      assert.equal((await change(silent, { accounts: null })).body.accounts_inherited, true)
      assert.deepEqual(await said(asking, silent), ['learned', true])
      const { body } = await asking.manage('GET', `/apps/${silent}/routes`)
      assert.equal(body.accounts, 'learned')
    } finally {
      await asking.close()
    }
  })

  it('are chosen among for people as for the backend, where the installation asks for it', async () => {
    const asking = await startNode(database.url, { role: 'api', routingAccounts: 'learned' })
    try {
      const { companyId, appId, serverKey } = await createTenant(asking, { resend_cooldown_s: 0 })
      const recipient = freshPhone()
      const preview = await asking.manage('POST', `/apps/${appId}/preview`, { recipient })
      const otpId: string = (await send(asking, serverKey, { recipient })).body.otp_id
      await asking.manage('POST', `/verifications/${otpId}/resend`, { channel: 'sms' })
      const { body } = await asking.call('GET', `/api/v1/otp/${otpId}/decision`, { key: serverKey })
      const all = [preview.body.decision, ...body.decisions.map(({ rules }: { rules: unknown }) => rules)]
      const hasChosen = (rules: { rule: string }[]) => rules.some(({ rule }) => rule === 'account')
      assert.deepEqual(all.map(hasChosen), [true, true, true])
      // Also the installation's own mail: a sign-in code, and an invitation.
      const [member, invited] = [freshEmail(), freshEmail()]
      assert.equal((await startSignIn(asking, member)).status, 200)
      const invitation = { email: invited, role: 'viewer', mail: true }
      const mailed = await asking.manage('POST', `/companies/${companyId}/invitations`, invitation)
      assert.equal(mailed.status, 201, JSON.stringify(mailed.body))
      const own = await database.query<{ rules: { rule: string }[] }>(
        'select rules from decisions where company_id = $1',
        [ownCompanyId],
      )
      assert.deepEqual(
        own.map(({ rules }) => hasChosen(rules)),
        [true, true],
      )
    } finally {
      await asking.close()
    }
  })

  async function sent(tenant: Tenant) {
    const recipient = freshPhone()
    const { status, body } = await send(node, tenant.serverKey, { recipient })
    assert.equal(status, 200, JSON.stringify(body))
    const { by, message } = await until('a message', async () => carried.get(recipient))
    return { otpId: body.otp_id as string, by, message }
  }

  async function decisionOf({ serverKey }: Tenant, otpId: string) {
    const { body } = await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key: serverKey })
    return body.decisions[0].rules.find(({ rule }: { rule: string }) => rule === 'account')
  }

  /** Sends by new apps until it is no trial: one message in ten tries an account of which nothing is known. */
  async function sentWithoutTrying() {
    for (;;) {
      const tenant = await createTenant(node, learned)
      const message = await sent(tenant)
      const { because } = (await decisionOf(tenant, message.otpId)).facts
      if (because !== 'trying') return { tenant, ...message }
    }
  }

  /** As if this many messages had become ripe. */
  const seen = (tenant: Tenant, by: AccountName, ripe: number, approved: number) =>
    database.query(
      `insert into route_counts values ($1, $2, 'sms', 'GB', $3, $4::float8::bigint, 0, 0, $5::float8::bigint, 0, 0,
              10, 10 * $6::float8, 25, 25 * $6::float8, 100, 100 * $6::float8, $4::float8,
              $5::float8, 0, now(), now() + interval '1 day')`,
      [tenant.companyId, tenant.appId, by, ripe, approved, approved / ripe],
    )

  it('keeps to priority unless the app asks otherwise, and its decisions say nothing of it', async () => {
    const tenant = await createTenant(node, { routing: { default: ['sms'] } })
    const { body: app } = await node.manage('GET', `/apps/${tenant.appId}`)
    assert.equal(app.routing.accounts, 'priority')
    await seen(tenant, 'first', 100, 10)
    await seen(tenant, 'second', 100, 90)
    for (let count = 0; count < 5; count++) {
      const { by, otpId } = await sent(tenant)
      assert.equal(by, 'first')
      assert.equal(await decisionOf(tenant, otpId), undefined)
    }
    const { accounts, routes } = await routesOf(tenant)
    assert.equal(accounts, 'priority')
    assert.deepEqual(
      routes.map(({ provider_id, share }: { provider_id: string; share: number }) => [provider_id, share]),
      [
        ['first', 1],
        ['second', 0],
      ],
    )
  })

  it('counts what each account took, what it says of it, and whose codes were typed', async () => {
    const { tenant, otpId, by, message } = await sentWithoutTrying()
    assert.equal(by, 'first', 'while nothing is known, priority decides')
    await put(by, {
      deliveryId: message.deliveryId,
      messageId: null,
      status: 'delivered',
      error: null,
      unreachable: false,
    })
    const approved = await verify(node, tenant.serverKey, otpId, message.code)
    assert.equal(approved.body.status, 'approved')
    const route = await until('the counts', async () => {
      const { routes } = await routesOf(tenant)
      const [first] = routes
      return first?.sends === 1 && first.delivered === 1 && first.approved === 1 && first
    })
    assert.equal(route.provider_id, 'first')
    assert.equal(route.price, '0.020000')
    assert.ok(Number(route.low) <= Number(route.cost_per_approval))
    assert.ok(Number(route.cost_per_approval) <= Number(route.high))
    assert.ok(route.seconds_to_approve >= 0)
    const email = freshEmail()
    await invite(node, tenant.companyId, email, 'owner')
    const body = { token: await makeSignInLink(node.app, email, 'members') }
    const opened = await node.call('POST', '/manage/v1/sign-in/link', { body })
    const owner = withCookie(node, email, cookieOf(opened))
    const { body: shown } = await owner.call('GET', `/apps/${tenant.appId}/routes?channel=sms&country=GB`)
    const { sends, price, cost_per_approval, low, high } = shown.routes[0]
    const told = [sends, price, cost_per_approval, low, high]
    assert.deepEqual(told, [1, null, null, null, null], 'what the operator pays is not for companies')
    const { routes: other } = await routesOf(tenant, '?channel=sms&country=FR')
    assert.deepEqual(
      other.map(({ sends, cost_per_approval }: Record<string, unknown>) => [sends, cost_per_approval]),
      [
        [0, null],
        [0, null],
      ],
    )
  })

  it('leaves an account that falls within sixty sends, and says why', async () => {
    const tenant = await createTenant(node, learned)
    await seen(tenant, 'first', 400, 320)
    await seen(tenant, 'second', 400, 320)
    const before = await sent(tenant)
    const decision = await decisionOf(tenant, before.otpId)
    assert.equal(decision.outcome, 'pass')
    assert.equal(decision.facts.accounts.length, 2)
    assert.equal(decision.facts.accounts[0].state, 'leading')
    // A company may not see what the operator pays.
    assert.equal(decision.facts.accounts[0].price, null)
    assert.match(decision.why, /^The account \w+ is asked first: /)

    const stateOf = async () => (await routesOf(tenant)).routes.map(({ state }: { state: string }) => state)
    let sends = 0
    while ((await stateOf())[0] === 'leading' && sends < 60) {
      const { by, message } = await sent(tenant)
      sends++
      if (by !== 'first') continue
      // A receipt that comes before our own result is counted up to a second later.
      await until('the message is noted as sent', async () => {
        const sql = `select 1 from deliveries where delivery_id = $1 and status = 'sent'`
        return (await database.query(sql, [message.deliveryId])).length > 0
      })
      const error = { code: 'lost', message: 'Not delivered.' }
      await put(by, {
        deliveryId: message.deliveryId,
        messageId: null,
        status: 'failed',
        error,
        unreachable: false,
      })
    }
    const [fallen, other] = await stateOf()
    assert.equal(other, 'leading')
    assert.ok(fallen === 'unknown' || fallen === 'under_floor', fallen)
    await until('the other node chooses by it too', async () => {
      const { body } = await send(service.nodes[1], tenant.serverKey, { recipient: freshPhone() })
      const { facts } = await decisionOf(tenant, body.otp_id)
      return facts.because === 'leading' && facts.provider_id === 'second'
    })
    const { routes } = await routesOf(tenant)
    assert.ok(Number.isFinite(Number(routes[1].saved)))
  })

  it('what another company saw over the same account does not exist', async () => {
    const [one, other] = [await createTenant(node, learned), await createTenant(node, learned)]
    await seen(one, 'first', 100, 1)
    await seen(one, 'second', 100, 99)
    const { routes } = await routesOf(other)
    assert.deepEqual(
      routes.map(({ sends, state }: Record<string, unknown>) => [sends, state]),
      [
        [0, 'leading'],
        [0, 'unknown'],
      ],
    )
    const { otpId } = await sent(other)
    assert.equal((await decisionOf(other, otpId)).facts.because === 'leading', false)
  })
})
