/** What somebody has typed is not lost when the session or the connection ends. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { codeIn } from '../harness/simulator.ts'
import { arrive, signInByCode, useDashboard, type Visitor } from './support.ts'

describe('whoever is interrupted at the dashboard', () => {
  const use = useDashboard()
  const email = 'interrupted@example.com'
  let visitor: Visitor
  let appId: string

  before(async () => {
    const { service, visit, manage } = use()
    const app = await service.createApp()
    appId = app.appId
    await manage('POST', `/companies/${app.companyId}/invitations`, { email, role: 'developer' })
    visitor = await visit()
    await signInByCode(use(), visitor, email)
    await arrive(visitor.page)
  })

  const nameOf = async () => (await use().manage<{ name: string }>('GET', `/apps/${appId}`)).name

  it('signs in again where they are when the session has ended, and what they typed is saved', async () => {
    const { page, open } = visitor
    const { simulator } = use().service
    await open(`/a/${appId}/settings`)
    const card = page.getByRole('form', { name: 'Name and language' })
    await card.getByRole('textbox', { name: 'Name' }).fill('Typed before')
    await page.context().clearCookies()
    await card.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    const earlier = (await simulator.messages(email, 'email')).length
    await dialog.getByRole('button', { name: `Send a code to ${email}` }).click()
    const { text } = await simulator.arrived(email, 'email', earlier + 1)
    await dialog.getByLabel('Code').fill(codeIn(text, 8))
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Name and language saved').first().waitFor()
    assert.equal(await nameOf(), 'Typed before')
  })

  it('keeps what they typed though they do not sign in again at once', async () => {
    const { page, open } = visitor
    await open(`/a/${appId}/settings`)
    const card = page.getByRole('form', { name: 'Name and language' })
    const name = card.getByRole('textbox', { name: 'Name' })
    await name.fill('Typed meanwhile')
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    await card.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await page.keyboard.press('Escape')
    await card.getByRole('alert').waitFor()
    assert.equal(await name.inputValue(), 'Typed meanwhile')
    // Now there is a session again, as after signing in through a link in another tab.
    await page.context().addCookies(cookies)
    await card.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name and language saved').first().waitFor()
    assert.equal(await nameOf(), 'Typed meanwhile')
  })

  it('hears at once that nothing was saved without a connection, and nothing is by itself later', async () => {
    const { page, open } = visitor
    await open(`/a/${appId}/settings`)
    const card = page.getByRole('form', { name: 'Name and language' })
    await card.getByRole('textbox', { name: 'Name' }).fill('Typed offline')
    await page.context().setOffline(true)
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByText('The service could not be reached.').waitFor()
    await page.context().setOffline(false)
    // When this call is answered, any call that had waited for the connection would have been answered too.
    await page.evaluate('fetch("/manage/v1/me").then(({ status }) => status)')
    assert.equal(await nameOf(), 'Typed meanwhile')
    await card.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name and language saved').first().waitFor()
    assert.equal(await nameOf(), 'Typed offline')
    assert.deepEqual(visitor.complaints, [])
  })

  it('goes on typing while it is being saved, and loses nothing', async () => {
    const { page, open } = visitor
    await open(`/a/${appId}/settings`)
    const card = page.getByRole('form', { name: 'Name and language' })
    const name = card.getByRole('textbox', { name: 'Name' })
    let save: () => void = () => {}
    const saving = new Promise<void>((resolve) => {
      save = resolve
    })
    const isThisApp = (url: URL) => url.pathname.endsWith(`/manage/v1/apps/${appId}`)
    await page.route(isThisApp, async (route) => {
      if (route.request().method() === 'PATCH') await saving
      await route.continue()
    })
    await name.fill('Typed first')
    await card.getByRole('button', { name: 'Save' }).click()
    await name.fill('Typed next')
    save()
    await page.getByText('Name and language saved').first().waitFor()
    await card.locator('[aria-busy]').waitFor({ state: 'detached' })
    await card.getByText('Not saved yet').waitFor()
    assert.equal(await name.inputValue(), 'Typed next')
    assert.equal(await nameOf(), 'Typed first')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.equal(await nameOf(), 'Typed next')
    await page.unroute(isThisApp)
  })

  it('is told so when the browser does not keep the session that they have just begun', async () => {
    const another = await use().visit()
    const { page } = another
    // As in a browser that accepts no cookies: the call after signing in has no session.
    const json = { error: { type: 'HTTPException', message: 'Sign in.', details: {} }, request_id: 'req_e2e' }
    await page.route('**/manage/v1/me', (route) => route.fulfill({ status: 401, json }))
    await signInByCode(use(), another, email)
    await page.getByRole('alert').getByText('Allow cookies for this address').waitFor()
  })

  it('can use a browser that forbids storage: the dashboard, the documents and the phones', async () => {
    const another = await use().visit()
    const { page, complaints } = another
    await page.addInitScript(
      `Object.defineProperty(globalThis, 'localStorage', { get: () => { throw new DOMException('', 'SecurityError') } })`,
    )
    await signInByCode(use(), another, email)
    await arrive(page)
    const { running } = use().service
    await page.goto(`http://localhost:${running.ports.http}/docs`)
    await page.getByRole('button', { name: 'Search' }).waitFor()
    await page.goto(`http://localhost:${running.ports.simulator}/`)
    const following = page.getByLabel('Follow new messages')
    await following.uncheck()
    assert.equal(await following.isChecked(), false)
    assert.deepEqual(complaints, [])
  })

  it('keeps a dialog while they sign in again, though the page finds that it cannot read', async () => {
    const { page, open } = visitor
    const { simulator } = use().service
    await open(`/a/${appId}/keys?open=create-key`)
    await page.getByRole('dialog').getByLabel('Name').fill('Typed in a dialog')
    const create = page.getByRole('button', { name: 'Create the key' })
    await create.waitFor()
    await page.context().clearCookies()
    // The page also reads by itself, and may find that the session has ended before anybody could press the button.
    await create.dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    const earlier = (await simulator.messages(email, 'email')).length
    await dialog.getByRole('button', { name: `Send a code to ${email}` }).click()
    const { text } = await simulator.arrived(email, 'email', earlier + 1)
    // They come back from their mail: what the page has read is old by now, and is read again.
    await page.clock.setFixedTime(Date.now() + 60_000)
    const read = page.waitForResponse((response) => response.status() === 401)
    await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
    await read
    await dialog.getByLabel('Code').fill(codeIn(text, 8))
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('dialog', { name: 'The key Typed in a dialog' }).waitFor()
  })

  it('stays where they are while the connection is lost, and opens the page once it is back', async () => {
    const { service, visit, signInWithLink } = use()
    // A new browser context, so that nothing of the page is cached.
    const anew = await visit()
    await signInWithLink(anew)
    const { page, open } = anew
    await open(`/a/${service.running.firstApp.app_id}/settings`)
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Team', exact: true }).click()
    await page.getByText('This page could not be shown').waitFor()
    const asked = page.waitForEvent('requestfailed')
    await page.getByRole('button', { name: 'Try again' }).click()
    await asked
    await page.getByText('Check your connection and try again.').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Team', exact: true }).waitFor()
  })

  it('is told how old a page is while the service cannot be reached, and no longer once it can', async () => {
    const { page, open } = visitor
    await open(`/a/${appId}/start`)
    await page
      .getByText(/will appear here by itself|min\. ago|just now/)
      .first()
      .waitFor()
    await page.route('**/manage/**', (route) => route.abort())
    const notice = page.getByText(/^The service cannot be reached\. What you see is from \d\d:\d\d:\d\d\.$/)
    await notice.waitFor()
    const again = await page.getByRole('button', { name: 'Try again' }).elementHandle()
    await page.unroute('**/manage/**')
    // The page also tries again by itself, and then the button is gone before somebody could press it.
    await again?.dispatchEvent('click')
    await notice.waitFor({ state: 'detached' })
  })
})
