/** Answers that come late, are refused or get lost: nothing typed is lost, and everybody hears what came of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Route } from 'playwright-core'
import { eventually } from '../harness/wait.ts'
import { holdChanges, refusal, refuse, smpp, useVisitor } from './late-support.ts'
import { follow } from './places.ts'

describe('whoever waits for an answer of the dashboard', () => {
  const { use, visitor, newIds } = useVisitor()

  it('hears of a refusal though they closed the question, and is not shown it again with the next', async () => {
    const { page, open } = visitor()
    const { app_id } = await newIds()
    await open(`/a/${app_id}/keys`)
    const { next, end } = await holdChanges(page)
    const revoke = page.getByRole('button', { name: /^Revoke/ }).first()
    await revoke.click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Revoke the key' }).click()
    const held = await next()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await refuse(held)
    await page.getByRole('listitem').getByText(refusal.message).waitFor()
    await revoke.click()
    await question.waitFor()
    assert.equal(await question.getByRole('alert').count(), 0)
    await page.keyboard.press('Escape')
    await end()
  })

  it('is not led away by an answer that they no longer wait for', async () => {
    const { page, open } = visitor()
    const { company_id } = await newIds()
    await open(`/c/${company_id}/apps`)
    await page.getByRole('button', { name: 'Create an app' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Ebb')
    const { next, end } = await holdChanges(page)
    await dialog.getByRole('button', { name: 'Create the app' }).click()
    const held = await next()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await held.continue()
    await page.getByRole('listitem').getByText('Ebb created').waitFor()
    await page.getByRole('table', { name: 'Apps' }).getByText('Ebb').waitFor()
    assert.ok(page.url().endsWith('/apps'), page.url())
    await end()
  })

  it('keeps what somebody else has saved meanwhile, and what they typed themselves', async () => {
    const { manage } = use()
    const { page, open } = visitor()
    const { app_id } = await newIds()
    await open(`/a/${app_id}/settings`)
    const card = page.getByRole('form', { name: 'Name and language' })
    await card.getByRole('textbox', { name: 'Name' }).fill('Mine')
    await manage('PATCH', `/apps/${app_id}`, { default_locale: 'de' })
    // The app is read again, as when they come back to the window.
    const codes = page.getByRole('form', { name: 'Codes' })
    await codes.getByLabel('Code length').fill('7')
    await codes.getByRole('button', { name: 'Save' }).click()
    await codes.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.equal(await card.getByLabel('Default language').inputValue(), 'de')
    await card.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name and language saved').first().waitFor()
    const saved = await manage<{ name: string; default_locale: string }>('GET', `/apps/${app_id}`)
    assert.deepEqual([saved.name, saved.default_locale], ['Mine', 'de'])
  })

  it('goes on typing where they are when a save is refused', async () => {
    const { page, open } = visitor()
    const { app_id } = await newIds()
    await open(`/a/${app_id}/settings`)
    const card = page.getByRole('form', { name: 'Name and language' })
    await card.getByRole('textbox', { name: 'Name' }).fill('Refused')
    const { next, end } = await holdChanges(page)
    await card.getByRole('button', { name: 'Save' }).click()
    const held = await next()
    const audience = page.getByLabel('Audience')
    await audience.pressSequentially('https://')
    const error = { ...refusal, details: { fields: [{ path: 'name', message: 'is taken' }] } }
    await held.fulfill({ status: 422, json: { error, request_id: 'req_e2e' } })
    await card.getByText('Name is taken.').waitFor()
    await page.keyboard.type('tide.example')
    assert.equal(await audience.inputValue(), 'https://tide.example')
    await end()
  })

  it('can try again when an answer never comes, or breaks off', async () => {
    const { visit, signInWithLink } = use()
    const { app_id } = await newIds()
    const another = await visit()
    const { page, open } = another
    await page.clock.install()
    await signInWithLink(another)
    const keys = (url: URL) => url.pathname.endsWith('/keys')
    await page.route(keys, () => {})
    await open(`/a/${app_id}/settings`)
    const card = page.getByRole('form', { name: 'Name and language' })
    await card.getByRole('textbox', { name: 'Name' }).fill('Patience')
    const { next, end } = await holdChanges(page)
    const save = card.getByRole('button', { name: 'Save' })
    await save.click()
    await next()
    await page.clock.fastForward('01:00')
    await card.getByText('The service has not answered in time.').waitFor()
    await save.click()
    await (await next()).fulfill({ status: 200, contentType: 'application/json', body: '{"app_id": "' })
    await card.getByText('The service could not be reached.').waitFor()
    await card.getByText('Not saved yet').waitFor()
    await end()
    await save.click()
    await card.getByText('Not saved yet').waitFor({ state: 'detached' })

    // A list that is never answered can be asked for again, too.
    const asked = page.waitForRequest((request) => keys(new URL(request.url())))
    await follow(page, `/a/${app_id}/keys`)
    await asked
    await page.clock.fastForward('01:00')
    const list = page.getByRole('region', { name: 'Keys', exact: true })
    const problem = list.getByRole('alert').filter({ hasText: 'The service has not answered in time.' })
    await page.unroute(keys)
    await problem.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('table', { name: 'API keys' }).waitFor()
  })

  it('adds one account, though the check of it gets no answer', async () => {
    const { manage } = use()
    const { page, open } = visitor()
    await open('/operator/providers?open=add-provider')
    const dialog = page.getByRole('dialog')
    for (const [label, text] of smpp) await dialog.getByLabel(label).fill(text)
    await page.route('**/check', (route) => route.abort())
    await dialog.getByRole('button', { name: 'Add the account' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('listitem').getByText('The service could not be reached.').waitFor()
    await page.unroute('**/check')
    const path = '/providers?owner=operator'
    const { providers } = await manage<{ providers: { provider_id: string; settings: object }[] }>(
      'GET',
      path,
    )
    const added = providers.filter(({ settings }) => JSON.stringify(settings).includes('"tide"'))
    for (const { provider_id } of added) await manage('DELETE', `/providers/${provider_id}`)
    assert.equal(added.length, 1)
  })

  it('is asked before signing out discards what is not saved', async () => {
    const { page, open } = visitor()
    const { app_id } = await newIds()
    await open(`/a/${app_id}/settings`)
    const name = page.getByRole('form', { name: 'Name and language' }).getByRole('textbox', { name: 'Name' })
    await name.fill('Not saved')
    await page.getByRole('button', { name: 'Account:' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stay' }).click()
    assert.equal(await name.inputValue(), 'Not saved')
    await page
      .evaluate('fetch("/manage/v1/me").then(({ status }) => status)')
      .then((status) => assert.equal(status, 200))
  })

  it('never sees the answer to another question as the answer to theirs', async () => {
    const { page, open } = visitor()
    const [one, other] = [await newIds(), await newIds()]
    await open(`/a/${one.app_id}/routing`)
    const held = new Map<string, Route>()
    await page.route('**/preview', (route) => void held.set(route.request().postDataJSON().recipient, route))
    const field = page.getByLabel('Number or email address')
    const answered = page.getByRole('region', { name: 'Decision' })
    const ask = async (recipient: string) => {
      await field.fill(recipient)
      const route = await eventually('it is asked', () => held.get(recipient), Boolean)
      return async () => route?.continue()
    }
    const answerFirst = await ask('+447400555001')
    const answerSecond = await ask('late@example.com')
    await answerSecond()
    await page.getByRole('status').getByText('Email').waitFor()
    // The first question has been given up by now, so its answer may have nowhere to go.
    await answerFirst().catch(() => {})
    const answerThird = await ask('+447400555002')
    await busy(answered).waitFor()
    await page.getByRole('status').getByText('Email').waitFor()
    await answerThird()
    await page.getByRole('status').getByText('SMS').waitFor()
    await busy(answered).waitFor({ state: 'detached' })
    await page.unroute('**/preview')

    // Nor the figures of one app under the name of another.
    await follow(page, `/a/${one.app_id}/overview`)
    await page.getByText('Nothing was sent').waitFor()
    await page.route(`**/apps/${other.app_id}/stats*`, () => {})
    const asked = page.waitForRequest(`**/apps/${other.app_id}/stats*`)
    await page.evaluate(`history.pushState(null, '', '/dashboard/a/${other.app_id}/overview')`)
    await asked
    await page.getByText('Nothing was sent').waitFor({ state: 'detached' })
    await page.unroute(`**/apps/${other.app_id}/stats*`)
  })
})

const busy = (part: Locator) => part.page().locator('[aria-busy="true"]').filter({ has: part })
