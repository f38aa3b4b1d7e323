import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AppId, CompanyId, OtpId } from '../../../platform/ids.ts'
import { type NotedRoute, RouteBook } from './book.ts'

const route = {
  companyId: 'cmp_1' as CompanyId,
  appId: 'app_1' as AppId,
  channel: 'sms',
  country: 'GB',
  providerId: 'prv_1',
} as const
const minuteMs = 60_000

const ripeOf = (taken: readonly { readonly routes: readonly NotedRoute[] }[]) =>
  taken.flatMap(({ routes }) => routes).reduce((sum, { ripe }) => sum + ripe, 0)

describe('what a node has seen of routes', () => {
  test('a send is counted at once and ripens as codes are typed', () => {
    const book = new RouteBook()
    book.sent(route, 0)
    const [first] = book.take(1_000).routes
    assert.equal(first?.sends, 1)
    assert.ok((first?.ripe ?? 1) < 0.05)
    const soon = ripeOf([book.take(minuteMs)])
    assert.ok(soon > 0.5 && soon < 0.8)
    const rest = ripeOf([book.take(20 * minuteMs)])
    assert.ok(Math.abs((first?.ripe ?? 0) + soon + rest - 1) < 1e-9)
    assert.deepEqual(book.take(40 * minuteMs).routes, [])
  })

  test('what is said to have failed is ripe at once, whichever node hears of it, and counts once', () => {
    const [sender, hearer] = [new RouteBook(), new RouteBook()]
    sender.sent(route, 0)
    hearer.received(route, false, 5_000, 5_000)
    const early = [sender.take(5_000), hearer.take(5_000)]
    assert.ok(Math.abs(ripeOf(early) - 1) < 1e-9)
    const late = [sender.take(30 * minuteMs), hearer.take(30 * minuteMs)]
    assert.ok(Math.abs(ripeOf([...early, ...late]) - 1) < 1e-9)
  })

  test('a receipt that says delivered makes nothing ripe', () => {
    const book = new RouteBook()
    book.sent(route, 0)
    book.received(route, true, 1, 1)
    assert.ok(ripeOf([book.take(1)]) < 0.001)
  })

  test('what could not be written is counted with what comes next', () => {
    const book = new RouteBook()
    book.sent(route, 0)
    book.putBack(book.take(0), 0)
    book.sent(route, 0)
    assert.equal(book.take(0).routes[0]?.sends, 2)
  })

  test('what was saved is written once, also where it could not be written at first, and so is each approval', () => {
    const book = new RouteBook()
    book.saved(route, 7, 0)
    const { companyId, appId, channel } = route
    book.approved({ companyId, appId, otpId: 'otp_1' as OtpId, channel, atMs: 0 })
    book.putBack(book.take(0), 0)
    const { routes, approvals } = book.take(0)
    assert.deepEqual([routes[0]?.savedMicros, approvals.length], [7, 1])
    assert.deepEqual(book.take(0), { routes: [], approvals: [] })
  })

  test('a send after a pause does not ripen for the time before it', () => {
    const book = new RouteBook()
    book.sent(route, 0)
    book.take(0)
    book.sent(route, minuteMs)
    const [taken] = book.take(minuteMs).routes
    assert.ok((taken?.ripe ?? 2) < 1, `${taken?.ripe}`)
  })

  test('what was written makes room, and of what cannot be written there is a bound', () => {
    const book = new RouteBook()
    for (let count = 0; count <= 50_000; count++) book.saved({ ...route, providerId: `prv_${count}` }, 1, 0)
    assert.equal(book.take(0).routes.length, 50_000)
    book.sent({ ...route, providerId: 'another' }, 0)
    assert.equal(book.take(0).routes.length, 1)
    const { companyId, appId, channel } = route
    const approval = { companyId, appId, otpId: 'otp_1' as OtpId, channel, atMs: 0 }
    for (let count = 0; count <= 50_000; count++) book.approved(approval)
    assert.equal(book.take(0).approvals.length, 50_000)
  })

  test('at the end nothing is left unripe', () => {
    const book = new RouteBook()
    book.sent(route, 0)
    assert.equal(ripeOf([book.take(0, true)]), 1)
    assert.deepEqual(book.take(0).routes, [])
  })
})
