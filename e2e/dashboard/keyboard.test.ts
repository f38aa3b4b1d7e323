/** A person with only a keyboard: where Tab begins, and where the focus is after each action. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { useDashboard, type Visitor, visitAsOperator } from './support.ts'

describe('by keyboard', () => {
  const use = useDashboard()
  let visitor: Visitor
  let appId: string
  let companyId: string

  before(async () => {
    ;({ visitor, appId, companyId } = await visitAsOperator(use(), { height: 500 }))
  })

  const openPage = async (path: string, title: string) => {
    await visitor.open(path)
    await visitor.page.getByRole('heading', { name: title, level: 1 }).waitFor()
  }

  it('every page begins at its top, also one with tabs', async () => {
    const { page } = visitor
    for (const [path, title] of [
      [`/a/${appId}/start`, 'Getting started'],
      [`/a/${appId}/channels`, 'Channels'],
      [`/a/${appId}/guard`, 'Guard'],
      [`/c/${companyId}/billing?tab=prices`, 'Billing'],
    ] as const) {
      await openPage(path, title)
      await page.getByRole('tab', { selected: true }).first().waitFor()
      await page.keyboard.press('Tab')
      await page.locator('a:focus', { hasText: 'Skip to content' }).waitFor()
    }
    assert.deepEqual(visitor.complaints, [])
  })

  it('shortcuts are on the same keys where these write other letters', async () => {
    const { page } = visitor
    await openPage(`/a/${appId}/settings`, 'Settings')
    /** As a Russian keyboard reports it; true if the page has taken the key. */
    const press = (key: string, code: string, ctrlKey = false) => {
      const event = JSON.stringify({ key, code, ctrlKey, bubbles: true, cancelable: true })
      return page.evaluate(`!document.body.dispatchEvent(new KeyboardEvent('keydown', ${event}))`)
    }
    assert.equal(await press('л', 'KeyK', true), true)
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await press('п', 'KeyG')
    assert.equal(await press('л', 'KeyK'), true)
    await page.getByRole('heading', { name: 'API Keys', level: 1 }).waitFor()
  })

  it('the page does not scroll when choosing a tab also changes another part of it', async () => {
    const { page } = visitor
    await openPage(`/a/${appId}/start`, 'Getting started')
    const python = page.getByRole('tablist', { name: 'Language for sending' }).getByRole('tab', {
      name: 'Python',
    })
    await python.focus()
    const scrolledTo = await page.evaluate('window.scrollY')
    await page.keyboard.press('Enter')
    await page
      .getByRole('tablist', { name: 'Language for checking' })
      .getByRole('tab', { name: 'Python', selected: true })
      .waitFor()
    assert.equal(await page.evaluate('window.scrollY'), scrolledTo)
  })

  it('the focus stays on what was pressed, though it cannot be pressed again', async () => {
    const { page } = visitor
    await openPage(`/a/${appId}/settings`, 'Settings')
    const card = page.getByRole('form', { name: 'Name and language' })
    await card.getByRole('textbox', { name: 'Name' }).fill('Quay')
    await card.getByRole('button', { name: 'Save' }).focus()
    await page.keyboard.press('Enter')
    await card.getByText('Not saved yet').waitFor({ state: 'detached' })
    const save = card.locator('button:focus', { hasText: 'Save' })
    await save.waitFor()
    assert.equal(await save.getAttribute('aria-disabled'), 'true')

    const calls: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') calls.push(request.url())
    })
    await page.keyboard.press('Enter')
    await card.getByRole('textbox', { name: 'Name' }).press('Enter')
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    assert.deepEqual(calls, [], 'nothing has changed, so nothing is sent')
  })

  it('the palette gives the focus back, and a search keeps it', async () => {
    const { page } = visitor
    await openPage(`/c/${companyId}/search`, 'Find a person')
    const field = page.getByLabel('A whole phone number or email address')
    await field.focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    const focused = page.locator('input[aria-label^="A whole phone number or email address"]:focus')
    await focused.waitFor()
    await page.keyboard.type('nobody@example.com')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing was found').waitFor()
    await focused.waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).press('Enter')
    await focused.waitFor()
    assert.equal(await field.inputValue(), '')
  })

  it('the palette does not open over a dialog, which may show something once', async () => {
    const { page } = visitor
    await openPage(`/a/${appId}/keys`, 'Keys')
    await page.getByRole('button', { name: 'Create a key' }).first().press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('billing')
    await page.keyboard.press('Tab')
    assert.equal(await page.getByRole('dialog', { name: 'Commands' }).count(), 0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Commands' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Commands' }).waitFor({ state: 'detached' })
  })

  it('a day is typed digit by digit, and a first day after the last is reported', async () => {
    const { page } = visitor
    await openPage(`/a/${appId}/verifications`, 'Verifications')
    // Day and month are the same number, because browsers ask for them in different orders.
    for (const [label, digits] of [
      ['From', '11112026'],
      ['To', '10102026'],
    ] as const) {
      await page.getByLabel(label).focus()
      await page.keyboard.type(digits)
    }
    await page.waitForURL(/from=2026-11-11&to=2026-10-10/)
    await page.getByRole('alert').getByText('“From” is after “To”').waitFor()
    assert.equal(await page.getByLabel('From').inputValue(), '2026-11-11')
    assert.deepEqual(visitor.complaints, [])
  })

  it('the exact time of a change can be read in the list, because it has no page of its own', async () => {
    const { page } = visitor
    await openPage(`/c/${companyId}/audit`, 'Audit trail')
    const table = page.getByRole('table', { name: 'Changes' })
    await table
      .getByText(/^\d+\s\w+\s\d{4}, \d\d:\d\d:\d\d\sUTC$/)
      .first()
      .waitFor()
  })

  it('a button that disappears when it is pressed leaves the focus in its part of the page', async () => {
    const { page } = visitor
    const { manage } = use()
    await manage('POST', `/apps/${appId}/keys`, { kind: 'server', name: 'To be revoked' })
    await openPage(`/a/${appId}/keys`, 'API Keys')
    const revoke = page.getByRole('button', { name: 'Revoke To be revoked' })
    await revoke.press('Enter')
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Revoke/ })
      .press('Enter')
    await revoke.waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Keys' }).and(page.locator(':focus')).waitFor()
  })

  it('the focus moves to what was added', async () => {
    const { page } = visitor
    await openPage(`/c/${companyId}/alerts`, 'Alerts')
    await page.getByRole('button', { name: 'Add an address' }).press('Enter')
    await page.getByRole('group', { name: 'Address 1' }).locator('select:focus').waitFor()
    await visitor.page.getByRole('button', { name: 'Discard' }).click()

    await openPage(`/a/${appId}/guard?tab=limits`, 'Guard')
    await page.getByRole('button', { name: 'Add a window to: One address' }).press('Enter')
    await page.locator('input:focus').and(page.getByLabel('One address, window 2: at most')).waitFor()
    assert.deepEqual(visitor.complaints, [])
  })
})
