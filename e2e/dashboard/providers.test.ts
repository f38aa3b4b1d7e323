/** Creating and changing provider accounts in their form, which is made from the contract's schemas. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { takePicture, useDashboard, type Visitor } from './support.ts'

describe('a provider account in the dashboard', () => {
  const use = useDashboard()
  let visitor: Visitor

  before(async () => {
    const { visit, signInWithLink } = use()
    visitor = await visit()
    await signInWithLink(visitor)
  })

  it('is asked for what its kind needs, checked by the bounds of the contract, saved and shown again', async () => {
    const { page, open } = visitor
    await open('/operator/providers')
    await page.getByRole('button', { name: 'Add an account' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Provider').selectOption('telegram')
    await dialog.getByLabel('Gateway token').waitFor()
    assert.equal(await dialog.getByLabel('System ID').count(), 0)

    await dialog.getByLabel('Provider').selectOption('smpp')
    assert.equal(await dialog.getByLabel('Port').getAttribute('placeholder'), '2775')
    await dialog.getByLabel('Host').fill('127.0.0.1')
    await dialog.getByLabel('Port').fill('70000')
    await dialog.getByLabel('System ID').fill('shop')
    await dialog.getByLabel('Sender').fill('Shop')
    await dialog.getByRole('button', { name: 'Add the account' }).click()
    await dialog.getByText('Port must be at most 65535').waitFor()
    await dialog.getByText('Password is required').waitFor()
    await takePicture(page, 'provider-form')

    await dialog.getByLabel('Port').fill('2776')
    await dialog.getByLabel('Password').fill('secret12')
    await dialog.getByText('Enabled', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Add the account' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Shop').first().waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('is said to be unreadable where the accounts cannot be read, and is read again', async () => {
    const { service, visit, signInWithLink } = use()
    const { appId } = await service.createApp()
    const another = await visit()
    await signInWithLink(another)
    const { page, open } = another
    const ofOperator = '**/manage/v1/providers?owner=operator*'
    await page.route(ofOperator, (route) => route.fulfill({ status: 403, body: '{}' }))
    await open(`/a/${appId}/channels`)
    const problem = page.getByRole('alert').filter({ hasText: 'could not be loaded' })
    await problem.waitFor()
    await page.unroute(ofOperator)
    await problem.getByRole('button', { name: 'Try again' }).click()
    await page
      .getByText(/^Carried by/)
      .first()
      .waitFor()
    await problem.waitFor({ state: 'detached' })
  })

  it('is not said to be missing while the accounts are being read', async () => {
    const { service, visit, signInWithLink } = use()
    const another = await visit()
    await signInWithLink(another)
    const { page, open } = another
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/manage/v1/providers*', async (route) => {
      await released
      await route.continue()
    })
    const asked = page.waitForRequest('**/manage/v1/providers*')
    await open(`/a/${(await service.createApp()).appId}/channels`)
    await asked
    await page.getByRole('switch', { name: 'SMS' }).waitFor()
    assert.doesNotMatch(await page.locator('main').innerText(), /simulator|skipped/)
    release()
    await page.getByText('the simulator').first().waitFor()
    assert.deepEqual(another.complaints, [])
  })

  it('of a gateway that is known is asked for what that gateway calls it, and shows the request that it would send', async () => {
    const { page, open } = visitor
    await open('/operator/providers')
    await page.getByRole('button', { name: 'Add an account' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Provider').selectOption('http')
    await dialog.getByRole('textbox', { name: /^Body/ }).waitFor()
    await dialog.getByLabel('Provider').selectOption('http vonage')
    await dialog.getByLabel('API key').fill('abcd1234')
    await dialog.getByRole('button', { name: 'Add the account' }).click()
    await dialog.getByText('API secret is required').waitFor()
    await dialog.getByLabel('API secret').fill('canary-secret')
    await dialog.getByLabel('Sender').fill('Gateway shop')
    await dialog.getByText('Enabled', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Add the account' }).click()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Edit Vonage' }).click()
    await dialog.getByText('See the request').click()
    await dialog.getByRole('button', { name: 'Show the request' }).click()
    const request = dialog.getByRole('region', { name: 'The request' })
    await request.waitFor()
    const text = await request.innerText()
    assert.match(text, /^POST https:\/\/rest\.nexmo\.com\/sms\/json/)
    assert.match(text, /from=Gateway\+shop/)
    assert.ok(!text.includes('canary-secret'))
    await takePicture(page, 'provider-dry-run')
    assert.deepEqual(visitor.complaints, [])
  })
})
