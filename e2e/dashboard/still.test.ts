/** What has just been loaded moves nothing that somebody is about to press, and fills no field that they are in. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { follow, type Ids, places, untilRead } from './places.ts'
import { useDashboard, type Visitor } from './support.ts'

/** Remembers where the controls in sight are, from the top of the page. */
const remember = `
  const top = (control) => Math.round(control.getBoundingClientRect().top + scrollY)
  const places = [...document.querySelectorAll(':is(main, nav) :is(a, button, input, select, textarea)')]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .map((control) => [control, top(control)])
  window.findMoved = () => places
    .filter(([control, before]) => control.isConnected && top(control) !== before)
    .map(([control, before]) => \`\${control.outerHTML.slice(0, 80)} from \${before} to \${top(control)}\`)
`

/** Puts the cursor in every field, as somebody does who is about to type there. */
const enterFields = `
  const fields = [...document.querySelectorAll('main :is(input, textarea)')].map((field) => {
    field.focus()
    field.blur()
    return [field, field.value]
  })
  window.findFilled = () => fields
    .filter(([field, before]) => field.isConnected && field.value !== before)
    .map(([field, before]) => \`\${field.outerHTML.slice(0, 80)} from \${before} to \${field.value}\`)
`

const refusal = { type: 'ValidationError', message: 'It cannot be read now.' }

/** Without these there is no page at all. */
const isNeededFirst = (path: string) => /\/(me|apps\/\w+|companies\/\w+)$/.test(path)

/** Keeps the answers that parts of a page wait for, until they are released and have arrived. */
async function holdAnswers(page: Page): Promise<() => Promise<void>> {
  const held: Route[] = []
  let isHolding = true
  await page.route('**/manage/v1/**', async (route) => {
    if (isHolding && !isNeededFirst(new URL(route.request().url()).pathname)) held.push(route)
    else await route.continue()
  })
  return async () => {
    isHolding = false
    await Promise.all(
      held.map(async (route) => {
        await route.continue()
        const response = await route.request().response()
        await response?.finished()
      }),
    )
    await page.unroute('**/manage/v1/**')
  }
}

describe('while a page of the dashboard is loading', () => {
  const use = useDashboard()
  let ids: Ids
  let visitor: Visitor

  before(async () => {
    const { service, visit, signInWithLink } = use()
    const app = await service.createApp()
    const { body } = await service.caller.call<{ otp_id: string }>('POST', '/api/v1/otp/send', {
      key: app.key,
      body: { recipient: 'still@example.com' },
    })
    ids = { app_id: app.appId, company_id: app.companyId, otp_id: body.otp_id }
    await service.caller.call('POST', '/manage/v1/providers', {
      key: service.running.adminToken,
      body: {
        company_id: app.companyId,
        channel: 'telegram',
        kind: 'telegram',
        // On a phone it takes more than a line.
        name: 'the gateway of our branch in the far north of the country',
        countries: ['IS'],
        settings: { token: 'still' },
      },
    })
    visitor = await visit({ width: 390, height: 844 })
    await signInWithLink(visitor)
  })

  it('nothing that can be pressed moves, and no field that was entered fills, on any page', async () => {
    const { page } = visitor
    const session = await page.context().newCDPSession(page)
    await session.send('Animation.enable')
    // On a busy machine the steps take longer than what is below a slow part waits for it.
    await session.send('Animation.setPlaybackRate', { playbackRate: 0 })
    // A page that is not the first in the list.
    await follow(page, '/account')
    let waiting = 0
    for (const [title, path] of places) {
      const release = await holdAnswers(page)
      await follow(page, path(ids))
      waiting += await page.locator('main [data-first-load]').count()
      await page.evaluate(remember)
      await page.evaluate(enterFields)
      await release()
      await untilRead(page, title)
      assert.deepEqual(await page.evaluate('findMoved()'), [], title)
      assert.deepEqual(await page.evaluate('findFilled()'), [], title)
    }
    assert.ok(waiting > places.length / 2, `${waiting} parts were still being loaded`)
  })

  it('and is read again after a failure, what is below stays, with the focus', async () => {
    const { visit, signInWithLink } = use()
    const another = await visit()
    await signInWithLink(another)
    const { page, open } = another
    const spend = `**/companies/${ids.company_id}/spend`
    const refuse = (route: Route) => route.fulfill({ status: 422, json: { error: refusal } })
    await page.route(spend, refuse)
    await open(`/c/${ids.company_id}/billing`)
    await page.getByText(refusal.message).waitFor()
    const held: Route[] = []
    await page.route(spend, (route) => void held.push(route))
    const tab = page.getByRole('tab', { name: 'Ledger' })
    await tab.focus()
    const asked = page.waitForRequest(spend)
    // As when somebody comes back to the window.
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await asked
    await page.locator('main .animate-pulse').first().waitFor()
    assert.equal(await page.locator('main [data-first-load]').count(), 0)
    await page.locator('[role="tab"]:focus', { hasText: 'Ledger' }).waitFor()
    await Promise.all(held.map(refuse))
  })

  it('what is below a part that takes long is shown after all', async () => {
    const { visit, signInWithLink } = use()
    const another = await visit()
    await signInWithLink(another)
    const { page, open } = another
    const release = await holdAnswers(page)
    await open(`/c/${ids.company_id}/settings`)
    await page.getByRole('button', { name: 'Erase a recipient…' }).waitFor()
    assert.equal(await page.locator('main [data-first-load]').count(), 1)
    await release()
  })

  it('nothing moves when the service can no longer be reached', async () => {
    const { visit, signInWithLink } = use()
    const another = await visit()
    await signInWithLink(another)
    const { page, open } = another
    await open(`/a/${ids.app_id}/keys`)
    await page.getByRole('table', { name: 'API keys' }).waitFor()
    await untilRead(page, 'keys')
    await page.evaluate(remember)
    await page.route('**/manage/v1/**', (route) => route.abort())
    await page.clock.setFixedTime(Date.now() + 60_000)
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByText('The service cannot be reached.').waitFor()
    assert.deepEqual(await page.evaluate('findMoved()'), [])
  })

  it('no link of the menu moves, though the app and its company are read last', async () => {
    const { visit, signInWithLink } = use()
    const another = await visit()
    await signInWithLink(another)
    const { page, open } = another
    const session = await page.context().newCDPSession(page)
    await session.send('Animation.enable')
    await session.send('Animation.setPlaybackRate', { playbackRate: 0 })
    // The menu shows the app that was opened last.
    await open(`/a/${ids.app_id}/keys`)
    await page.getByRole('link', { name: 'API Keys' }).waitFor()
    const held: Route[] = []
    let isHolding = true
    await page.route(/\/manage\/v1\/(apps|companies)\/\w+$/, async (route) => {
      if (isHolding) held.push(route)
      else await route.continue()
    })
    await open('/operator/operators')
    await page.getByRole('heading', { name: 'Operators', level: 1 }).waitFor()
    await page.evaluate(remember)
    isHolding = false
    await Promise.all(held.map((route) => route.continue()))
    await page.getByRole('link', { name: 'API Keys' }).waitFor()
    assert.deepEqual(await page.evaluate('findMoved()'), [])
  })
})
