/** The dashboard keeps what was typed, and leads from a problem to where it can be fixed. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { codeIn } from '../harness/simulator.ts'
import { eventually } from '../harness/wait.ts'
import { untilRead } from './places.ts'
import { useDashboard, type Visitor } from './support.ts'

describe('the dashboard takes care', () => {
  const use = useDashboard()
  let visitor: Visitor

  before(async () => {
    const { visit, signInWithLink } = use()
    visitor = await visit()
    await signInWithLink(visitor)
  })

  it('asks before unsaved changes are lost, to another page, another tab or out of the browser', async () => {
    const { page, open } = visitor
    const { app_id } = use().service.running.firstApp
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await open(`/a/${app_id}/settings`)
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Not saved')
    await page.getByRole('link', { name: 'Routing', exact: true }).click()
    await question.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await name.inputValue(), 'Not saved')
    const asked = page.waitForEvent('dialog')
    const reloaded = page.reload()
    const dialog = await asked
    assert.equal(dialog.type(), 'beforeunload')
    await dialog.accept()
    await reloaded
    assert.notEqual(await name.inputValue(), 'Not saved')

    await open(`/a/${app_id}/guard`)
    await page.getByRole('radio', { name: 'Monitor' }).click()
    const countries = page.getByRole('tab', { name: 'Countries' })
    await countries.click()
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    assert.equal(await countries.getAttribute('aria-selected'), 'false')
    await countries.click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('By the country of the number').waitFor()
    // Without unsaved changes nobody is asked.
    await page.getByRole('link', { name: 'Routing', exact: true }).click()
    await page.getByRole('heading', { name: 'Routing' }).waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('says beside a field what the contract has against it, and goes there', async () => {
    const { page, open } = visitor
    const { app_id } = use().service.running.firstApp
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') calls.push(request.url())
    })
    await open(`/a/${app_id}/settings`)
    const card = page.getByRole('form', { name: 'Codes' })
    const digits = card.getByLabel('Code length')
    await digits.fill('3')
    await card.getByLabel('Attempts').fill('')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByText('Code length must be at least 4.').waitFor()
    await card.getByText('Attempts is required.').waitFor()
    await digits.and(page.locator(':focus')).waitFor()
    assert.equal(await digits.getAttribute('aria-invalid'), 'true')
    assert.deepEqual(calls, [], 'nothing was sent')
    await digits.fill('5')
    await card.getByText('Code length must be at least 4.').waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Discard' }).click()

    await open(`/a/${app_id}/guard?tab=limits`)
    const limits = page.getByRole('form', { name: 'Limits' })
    await limits.getByLabel('One flagged address, window 1: at most').fill('1000')
    await limits.getByRole('button', { name: 'Save' }).click()
    await limits.getByText('“One flagged address” must be below “One address”.').waitFor()
    await limits.getByLabel('One flagged address, window 1: at most').fill('3')
    await limits.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Limits saved').first().waitFor()
    assert.equal(calls.length, 1)
    assert.deepEqual(visitor.complaints, [])
  })

  it('keeps what is typed into a dialog until it is said that it may go', async () => {
    const { page, open } = visitor
    const { company_id } = use().service.running.firstApp
    await open(`/c/${company_id}/billing?open=top-up`)
    const note = page.getByRole('dialog').getByLabel('Note')
    await note.fill('Invoice 114')
    await page.mouse.click(5, 5)
    assert.equal(await note.inputValue(), 'Invoice 114')
    const question = page.getByRole('alertdialog', { name: 'Discard what you entered?' })
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Keep editing' }).click()
    assert.equal(await note.inputValue(), 'Invoice 114')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('opens a dialog on its first field, and gives the focus back to what opened it', async () => {
    const { page, open } = visitor
    const { company_id } = use().service.running.firstApp
    for (const [path, opener] of [
      [`/c/${company_id}/team`, 'Invite a person'],
      [`/c/${company_id}/billing`, 'Top up'],
      [`/c/${company_id}/settings`, 'Erase a recipient…'],
    ] as const) {
      await open(path)
      await page.getByRole('button', { name: opener }).waitFor()
      // A part that takes long on a busy machine would move the button.
      await untilRead(page, path)
      await page.getByRole('button', { name: opener }).click()
      await page.getByRole('dialog').locator('input:focus').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.locator('button:focus', { hasText: opener }).waitFor()
    }
  })

  it('opens one event by its address, whatever the list shows, and in its own app alone', async () => {
    const { service, manage } = use()
    const { page, open } = visitor
    const [app, other] = [await service.createApp(), await service.createApp()]
    const recipient = 'event@example.com'
    const { otp_id } = await app.send({ recipient })
    await app.verify(otp_id, codeIn((await service.simulator.arrived(recipient, 'email')).text))
    const { events } = await eventually(
      'the events',
      () => manage<{ events: { id: string; type: string }[] }>('GET', `/apps/${app.appId}/events`),
      (answer) => answer.events.some(({ type }) => type === 'otp.approved'),
    )
    const id = events.find(({ type }) => type === 'otp.approved')?.id ?? ''
    await open(`/a/${app.appId}/verifications/${otp_id}`)
    await page.getByRole('link', { name: 'otp.approved' }).click()
    await page.getByRole('dialog', { name: 'otp.approved' }).getByText(id, { exact: true }).waitFor()
    await open(`/a/${app.appId}/events?status=failed&event=${id}`)
    await page.getByRole('dialog', { name: 'otp.approved' }).getByText(id, { exact: true }).waitFor()
    await open(`/a/${other.appId}/events?event=${id}`)
    await page.getByText('This event belongs to another app').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('says how long the balance lasts, of however many apps', async () => {
    const { service, manage } = use()
    const { page, open } = visitor
    const app = await service.createApp()
    for (let index = 0; index < 25; index++) {
      await manage('POST', `/companies/${app.companyId}/apps`, { name: `Product ${index}` })
    }
    for (const recipient of ['+447400555701', '+447400555702']) await app.send({ recipient })
    await open(`/c/${app.companyId}/billing`)
    // The balance is 10 less two messages of 0.05. A company younger than an hour counts as one hour old, so 0.1 an
    // hour is spent.
    for (const label of [/^(This month|Last 30 days)$/, 'Spent in 7 days']) {
      const figure = page.locator('dl > div', { has: page.getByText(label, { exact: true }) })
      await figure.getByText('€0.10', { exact: true }).waitFor()
    }
    await page.getByText('4 days').waitFor()
  })

  it('leads from what needs attention to where it can be mended', async () => {
    const { page, open } = visitor
    const app = await use().service.createApp({
      spend_caps: { day_by_country: { countries: { GB: '0.05' } } },
    })
    await app.send({ recipient: '+447400556601' })
    await open(`/a/${app.appId}/overview`)
    const attention = page.getByRole('region', { name: 'Needs attention' })
    await attention.getByText('The cap of €0.05 for today in GB has been reached.').waitFor()
    await attention.getByRole('link', { name: 'Open the spend caps' }).click()
    await page.getByRole('tab', { name: 'Spend', selected: true }).waitFor()
    await page.getByText('Spent today').first().waitFor()
  })

  it('mails an invitation with the address to sign in at', async () => {
    const { service } = use()
    const { page, open } = visitor
    const { company_id } = service.running.firstApp
    const email = 'invited@example.com'
    await open(`/c/${company_id}/team?open=invite`)
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('An email tells them where to sign in').waitFor()
    const { text, subject } = await service.simulator.arrived(email, 'email')
    assert.equal(subject, 'Your invitation to Countersign')
    assert.match(text, /http:\/\/localhost:\d+\/dashboard\/sign-in/)
  })

  it('keeps what is typed while the palette loads, and tries again what could not be loaded', async () => {
    const { page, open } = visitor
    const { app_id } = use().service.running.firstApp
    await open(`/a/${app_id}/settings`)
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    await page.route(/palette-commands/, (route) => route.abort(), { times: 1 })
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Commands' })
    await page.keyboard.type('bill')
    await palette.getByText('This part could not be loaded').waitFor()
    await palette.getByRole('button', { name: 'Try again' }).click()
    await palette.getByRole('option', { name: 'Billing', selected: true }).waitFor()
    assert.equal(await palette.getByRole('combobox').inputValue(), 'bill')
    await page.keyboard.press('Escape')
  })

  it('holds the place of a part that is still on its way', async () => {
    const { page, open } = visitor
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/debt-card-/, async (route) => {
      await released
      await route.continue()
    })
    await open(`/a/${use().service.running.firstApp.app_id}/guard`)
    const waiting = page.getByRole('tabpanel').getByRole('status').last()
    // The card above it waits too, and is first.
    await eventually(
      'a place as high as the chart',
      () => waiting.boundingBox(),
      (box) => (box?.height ?? 0) > 200,
    )
    release()
    await page.getByRole('heading', { name: 'Debt over time' }).waitFor()
    await page.unroute(/\/debt-card-/)
  })

  it('sends a code for signing in again, and keeps the address', async () => {
    const { service, visit } = use()
    const email = 'again@example.com'
    const { page, open, complaints } = await visit()
    await open('/sign-in')
    await page.getByRole('button', { name: 'Send a code' }).click()
    await page.getByText('Email address is required.').waitFor()
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Send a code' }).click()
    await page.getByLabel('Code').fill('123')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Code must be the digits of the code.').waitFor()
    await service.simulator.arrived(email, 'email')
    await page.getByRole('button', { name: 'Send the code again' }).click()
    await page.getByText(`A new code is on its way to ${email}`).first().waitFor()
    assert.equal(await page.getByLabel('Code').inputValue(), '')
    await service.simulator.arrived(email, 'email', 2)
    await page.getByRole('button', { name: 'Use another address' }).click()
    assert.equal(await page.getByLabel('Email address').inputValue(), email)
    assert.deepEqual(complaints, [])
  })

  it('keeps the ways to everything around a page that is not there', async () => {
    const { page, open } = visitor
    for (const path of ['/a/app_nothing/overview', '/nothing/here']) {
      await open(path)
      await page.getByText('There is nothing at this address').waitFor()
      await page.getByRole('link', { name: 'Verifications', exact: true }).waitFor()
    }
    await page.getByRole('link', { name: 'Verifications', exact: true }).click()
    await page.getByRole('heading', { name: 'Verifications' }).waitFor()
  })
})
