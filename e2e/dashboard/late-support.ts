/** Answers that are kept back, and what they are then. */
import { before } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { useDashboard, type Visitor } from './support.ts'

export const refusal = { type: 'ConflictError', message: 'Not while the tide is in', details: {} }
export const refuse = (route: Route) =>
  route.fulfill({ status: 409, json: { error: refusal, request_id: 'req_e2e' } })

/** Keeps changes back: `next` is the oldest that waits. */
export async function holdChanges(page: Page) {
  const held: Route[] = []
  const waiting: ((route: Route) => void)[] = []
  const isManaged = (url: URL) => url.pathname.startsWith('/manage/v1/')
  const hold = async (route: Route) => {
    if (route.request().method() === 'GET') return route.fallback()
    const taker = waiting.shift()
    if (taker) taker(route)
    else held.push(route)
  }
  await page.route(isManaged, hold)
  return {
    next: () =>
      new Promise<Route>((resolve) => {
        const route = held.shift()
        if (route) resolve(route)
        else waiting.push(resolve)
      }),
    end: () => page.unroute(isManaged, hold),
  }
}

export const smpp = [
  ['Host', '127.0.0.1'],
  ['Port', '1'],
  ['System ID', 'tide'],
  ['Password', 'secret12'],
  ['Sender', 'Tide'],
] as const

/** A visitor who is signed in before the tests begin, and apps for them. */
export function useVisitor() {
  const use = useDashboard()
  let visitor: Visitor
  before(async () => {
    const { visit, signInWithLink } = use()
    visitor = await visit()
    await signInWithLink(visitor)
  })
  const newIds = async () => {
    const { appId, companyId } = await use().service.createApp()
    return { app_id: appId, company_id: companyId }
  }
  return { use, visitor: () => visitor, newIds }
}
