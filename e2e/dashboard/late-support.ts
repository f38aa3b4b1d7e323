/** Answers that are kept back, and what they are then. */
import type { Page, Route } from 'playwright-core'

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
