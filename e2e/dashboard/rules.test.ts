/** An app's own rules at the dashboard: written, tried on past sends, saved, edited by two people at once, restored. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { findingsOn } from './axe.ts'
import { takePicture, useDashboard, type Visitor } from './support.ts'

describe('rules of one’s own at the dashboard', () => {
  const use = useDashboard()
  let visitor: Visitor

  before(async () => {
    const { visit, signInWithLink, service } = use()
    const { server_key: key } = service.running.firstApp
    for (const recipient of ['+33612345678', '+33612345679', '+447400555101'])
      await service.caller.call('POST', '/api/v1/otp/send', { key, body: { recipient } })
    visitor = await visit()
    await signInWithLink(visitor)
  })

  const rulesPath = () => `/a/${use().service.running.firstApp.app_id}/guard?tab=rules`
  const cardOf = (page: Page) => page.getByRole('form', { name: 'Your own rules' })

  it('are written by keyboard, with what is wrong said beside the field, and tried before they are saved', async () => {
    const { page, open } = visitor
    await open(rulesPath())
    await cardOf(page).getByText('No rules yet').waitFor()
    await cardOf(page).getByRole('button', { name: 'Add a rule' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New rule' })
    await dialog.getByRole('button', { name: 'Add a condition' }).press('Enter')
    await page.getByRole('combobox', { name: 'Conditions' }).fill('country')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByText('Name must not be empty.').waitFor()
    await dialog.getByText('Country of the number must not be empty.').waitFor()
    await dialog.getByLabel('Name').fill('No France')
    await dialog.getByRole('button', { name: 'Add a country' }).click()
    await page.getByRole('combobox', { name: 'Countries' }).fill('France')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await takePicture(page, 'rules-dialog')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await cardOf(page).getByText('Sends to France are refused.').waitFor()

    await page.getByRole('button', { name: 'Run the backtest' }).click()
    const figures = page.getByRole('region', { name: 'Backtest' })
    await figures.getByText('Would refuse').waitFor()
    const row = figures.getByRole('table', { name: 'By rule' }).getByRole('row', { name: /No France/ })
    assert.match((await row.textContent()) ?? '', /No France22/)
    assert.equal(await figures.getByRole('table', { name: 'Examples' }).getByRole('row').count(), 3)
    await takePicture(page, 'rules-backtest')

    await cardOf(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Rules saved', { exact: true }).first().waitFor()
    await page.getByRole('list', { name: 'History of the rules' }).getByText('Revision 1').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('are switched on, not over what somebody else has saved, and come back from the history', async () => {
    const { page, open } = visitor
    const { manage, service } = use()
    const { app_id, server_key: key } = service.running.firstApp
    await open(rulesPath())
    await cardOf(page).getByRole('radio', { name: 'On', exact: true }).click()
    const { rules } = await manage<{ rules: object[] }>('GET', `/apps/${app_id}/rules`)
    const theirs = rules.map((rule) => ({ ...rule, name: 'No France, theirs' }))
    await manage('PUT', `/apps/${app_id}/rules`, { revision: 1, rules: theirs })
    await cardOf(page).getByRole('button', { name: 'Save' }).click()
    await cardOf(page).getByText('Somebody else has changed the rules').waitFor()
    await takePicture(page, 'rules-conflict')
    await cardOf(page).getByRole('button', { name: 'Show theirs' }).click()
    await cardOf(page).getByText('No France, theirs').waitFor()
    await cardOf(page).getByRole('radio', { name: 'On', exact: true }).click()
    await cardOf(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Rules saved', { exact: true }).first().waitFor()
    const refused = await service.caller.call<{ error: { type: string } }>('POST', '/api/v1/otp/send', {
      key,
      body: { recipient: '+33612345670' },
    })
    assert.equal(refused.body.error.type, 'RuleBlockedError')
    await page.getByRole('button', { name: 'Restore revision 1' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
    await cardOf(page).getByText('No France', { exact: true }).waitFor()
    await page.getByText('from revision 1').first().waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('have a form that hinders nobody and fits a phone, whatever a rule asks', async () => {
    const { visit } = use()
    const phone = await visit({ width: 390, height: 844, hasTouch: true })
    const { page, open } = phone
    await page.context().addCookies(await visitor.page.context().cookies())
    await open(rulesPath())
    await cardOf(page).getByRole('button', { name: 'Add a rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'New rule' })
    const add = dialog.getByRole('button', { name: 'Add a condition' })
    for (let left = 13; left > 0; left--) {
      await add.click()
      await page.getByRole('listbox', { name: 'Conditions' }).getByRole('option').first().click()
      assert.equal(await dialog.getByRole('button', { name: /^Remove: / }).count(), 14 - left)
    }
    for (const action of ['hold', 'channels', 'link', 'limit', 'pass', 'refuse']) {
      await dialog.getByLabel('Then', { exact: true }).selectOption(action)
      const overflow = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)
      assert.ok(overflow <= 0, `${overflow} px too wide`)
    }
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      assert.deepEqual(await findingsOn(page, scheme), [], scheme)
    }
    await dialog.getByLabel('Then', { exact: true }).scrollIntoViewIfNeeded()
    await takePicture(page, 'rules-dialog-phone-end')
    await dialog.getByLabel('Name').scrollIntoViewIfNeeded()
    await takePicture(page, 'rules-dialog-phone')
    assert.deepEqual(phone.complaints, [])
  })
})
