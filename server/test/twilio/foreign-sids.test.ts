/**
 * Generated from the table of Twilio's routes: every route × every place of a SID or a number × the SIDs and numbers of
 * other apps. What another app has is answered word for word as what nobody has.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { twilioRoutes } from '../../src/http/twilio/register.ts'
import { newId } from '../../src/platform/ids.ts'
import { sidOf } from '../../src/platform/sids.ts'
import { createApp, createTenant, freshPhone, message, type Tenant } from '../harness/fixtures.ts'
import type { Node } from '../harness/node.ts'
import { type Service, startService } from '../harness/service.ts'

/** What an app has, by the letters of its SIDs. */
interface Things {
  readonly VA: string
  readonly VE: string
  readonly VL: string
  readonly number: string
  readonly code: string
}
type Kind = 'VA' | 'VE' | 'VL' | 'number'
type Route = (typeof twilioRoutes)[number]

/** Names in paths, which mean another thing below `/Attempts`, and those in forms and queries. */
const kindsIn = ({ path }: Route): Readonly<Record<string, Kind>> => ({
  ...(path.includes(':ServiceSid') ? { ServiceSid: 'VA' } : {}),
  ...(path.includes(':Sid') ? { Sid: path.startsWith('/Attempts') ? 'VL' : 'VE' } : {}),
  ...(path.endsWith('/VerificationCheck') ? { VerificationSid: 'VE', To: 'number' } : {}),
  ...(path === '/Attempts'
    ? { VerifyServiceSid: 'VA', VerificationSid: 'VE', 'ChannelData.To': 'number' }
    : {}),
})
const cases = twilioRoutes.flatMap((route) =>
  Object.entries(kindsIn(route)).flatMap(([place, kind]) => [
    { route, place, kind },
    // A verification may be named by the number that it was sent to.
    ...(place === 'Sid' && kind === 'VE' ? [{ route, place, kind: 'number' as const }] : []),
  ]),
)

describe('by Twilio’s routes', () => {
  let service: Service
  let node: Node
  let mine: Tenant
  let others: Readonly<Record<string, Tenant>>
  before(async () => {
    service = await startService()
    node = service.node
    mine = await createTenant(node)
    const theirs = await createTenant(node)
    others = {
      'another company': theirs,
      'another app of the company': await createApp(node, mine.companyId),
    }
  })
  after(() => service.close())

  async function call(route: Route, { serverKey }: Tenant, values: Readonly<Record<string, string>>) {
    const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(values[name] ?? ''))
    const given = Object.entries(values).filter(([name]) => !route.path.includes(`:${name}`))
    const fields = new URLSearchParams(given).toString()
    const answer = await fetch(
      `${node.baseUrl}/twilio/v2${path}${route.method === 'GET' && fields ? `?${fields}` : ''}`,
      {
        method: route.method,
        headers: { authorization: `Basic ${Buffer.from(`any:${serverKey}`).toString('base64')}` },
        ...(route.method === 'POST' ? { body: new URLSearchParams(given) } : {}),
      },
    )
    return { status: answer.status, text: await answer.text() }
  }

  async function thingsOf(tenant: Tenant): Promise<Things> {
    const number = freshPhone()
    const { body: app } = await node.manage('GET', `/apps/${tenant.appId}`)
    const create = twilioRoutes.find(({ path }) => path.endsWith('/Verifications'))
    assert.ok(create)
    const values = { ServiceSid: app.twilio_service_sid, To: number, Channel: 'sms' }
    const made = await call(create, tenant, values)
    assert.equal(made.status, 201, made.text)
    const { sid, send_code_attempts: attempts } = JSON.parse(made.text)
    const { code } = await message(node, number)
    return { VA: app.twilio_service_sid, VE: sid, VL: attempts[0].attempt_sid, number, code }
  }

  const nobodys = (): Things => ({
    VA: sidOf('app', newId('app', Date.now())),
    VE: sidOf('verification', newId('verification', Date.now())),
    VL: sidOf('delivery', newId('delivery', Date.now())),
    number: freshPhone(),
    code: '000000',
  })

  /** A call that would succeed, if the caller had what it names. */
  const valuesOf = ({ route, place, kind }: (typeof cases)[number], own: Things, named: Things) => ({
    ...Object.fromEntries(
      Object.entries(kindsIn(route))
        .filter(([name]) => name === place || route.path.includes(`:${name}`))
        .map(([name, usual]) => [name, own[usual]]),
    ),
    ...(route.path.endsWith('/Verifications') ? { To: freshPhone(), Channel: 'sms' } : {}),
    ...(route.method === 'POST' && route.path.endsWith(':Sid') ? { Status: 'canceled' } : {}),
    ...(route.path.endsWith('/VerificationCheck') ? { Code: named.code, VerificationSid: own.VE } : {}),
    // Only one of the two may name the verification.
    ...(place === 'To' ? { VerificationSid: '' } : {}),
    [place]: named[kind],
  })

  for (const each of cases) {
    const { route, place, kind } = each
    it(`${route.method} ${route.path}: nothing of others is found by ${place}, a ${kind}`, async () => {
      const [own, unknown] = [await thingsOf(mine), nobodys()]
      const heard = async (named: Things) => {
        const { status, text } = await call(route, mine, valuesOf(each, own, named))
        const value = named[kind]
        return { status, text: text.replaceAll(value, '…').replaceAll(encodeURIComponent(value), '…') }
      }
      const expected = await heard(unknown)
      for (const [whose, tenant] of Object.entries(others)) {
        const things = await thingsOf(tenant)
        // The code that is right for them, so that nothing but its owner keeps it from being taken.
        assert.deepEqual(await heard(things), expected, whose)
        const row = `select status, attempts from verifications where app_id = $1 order by otp_id desc limit 1`
        const [left] = await service.database.query(row, [tenant.appId])
        assert.deepEqual(left, { status: 'pending', attempts: 0 }, whose)
      }
      assert.notDeepEqual(await heard(own), expected, 'one’s own is found')
    })
  }
})
