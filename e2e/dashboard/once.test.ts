/** What is asked for once happens once, though a button is pressed twice or an answer is lost. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { eventually } from '../harness/wait.ts'
import { useDashboard, type Visitor } from './support.ts'

describe('what somebody asks the dashboard for', () => {
  const use = useDashboard()
  let visitor: Visitor

  before(async () => {
    const { visit, signInWithLink } = use()
    visitor = await visit()
    await signInWithLink(visitor)
  })

  it('is one key and one message, whoever double-clicks', async () => {
    const { service, manage } = use()
    const { page, open } = visitor
    const { appId } = await service.createApp()
    const list = async <Item>(path: string, name: string) =>
      (await manage<Record<string, readonly Item[]>>('GET', `/apps/${appId}/${path}`))[name] ?? []
    const keysBefore = await list('keys', 'keys')
    await open(`/a/${appId}/start`)
    await page.getByRole('button', { name: 'Create a server key' }).dblclick()
    await page.getByText('Your server key', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Send a code' }).dblclick()
    await page.getByText('Its id is').waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal((await list('keys', 'keys')).length, keysBefore.length + 1)
    assert.equal((await list('verifications', 'verifications')).length, 1)
  })

  it('is one message, though Enter is held on the button or in the field', async () => {
    const { service, manage } = use()
    const { page, open } = visitor
    const { appId, key } = await service.createApp()
    const started = async () =>
      (await manage<{ verifications: object[] }>('GET', `/apps/${appId}/verifications`)).verifications.length
    await open(`/a/${appId}/start`)
    await page.getByLabel('An existing server key').fill(key)
    const field = page.getByLabel('Recipient')
    for (const [index, pressed] of [page.getByRole('button', { name: 'Send a code' }), field].entries()) {
      await field.fill(`+44740055670${index}`)
      await pressed.focus()
      await page.keyboard.down('Enter')
      await page.getByText(`+44****0${index} by`).waitFor()
      // Once more before it is released: the browser repeats the key.
      await page.keyboard.down('Enter')
      await page.keyboard.down('Enter')
      await page.keyboard.up('Enter')
      await page.waitForLoadState('networkidle')
      assert.equal(await started(), index + 1)
    }
  })

  it('is one message, though its answer was lost and it is sent again', async () => {
    const { service, manage } = use()
    const { page, open } = visitor
    const { appId, key } = await service.createApp()
    const started = async () =>
      (await manage<{ verifications: object[] }>('GET', `/apps/${appId}/verifications`)).verifications.length
    await open(`/a/${appId}/start`)
    await page.getByLabel('An existing server key').fill(key)
    await page.getByLabel('Recipient').fill('+447400556711')
    await page.route(
      '**/otp/send',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    const button = page.getByRole('button', { name: 'Send a code' })
    await button.click()
    await page.getByText('The service could not be reached.').waitFor()
    await button.click()
    await page.getByText('Its id is').waitFor()
    assert.equal(await started(), 1)
    // Asked for once more after it has worked, it is another one.
    await button.click()
    await eventually('a second one', started, (count) => count === 2)
  })

  it('is a dialog that stays open and takes what is typed, though the button was double-clicked', async () => {
    const { visit, signInWithLink } = use()
    const another = await visit()
    const { page } = another
    await signInWithLink(another)
    await another.open('/operator/companies')
    const button = page.getByRole('button', { name: 'Create a company' })
    await button.waitFor()
    const { x, y } = (await button.boundingBox()) ?? assert.fail('it is shown')
    // The page's clock stands still, so that the second click comes soon, however busy the machine is.
    await page.clock.setFixedTime(Date.now())
    await page.mouse.click(x + 8, y + 8)
    const dialog = page.getByRole('dialog', { name: 'Create a company' })
    await dialog.locator('input:focus').waitFor()
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await page.keyboard.type('Typed at once')
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Typed at once')
  })

  it('is one credit, though its answer was lost, and the person goes back and adds it again', async () => {
    const { service, manage } = use()
    const { page, open } = visitor
    const { companyId } = await service.createApp()
    const balance = async () =>
      Number((await manage<{ balance: string }>('GET', `/companies/${companyId}`)).balance)
    const balanceBefore = await balance()
    await open(`/c/${companyId}/billing`)
    await page.getByRole('button', { name: 'Top up' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('12.34')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.route(
      '**/credits',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await dialog.getByRole('button', { name: 'Add €12.34' }).click()
    await dialog.getByText('The service could not be reached.').waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('button', { name: 'Add €12.34' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await balance()) - balanceBefore, 12.34)
  })

  it('is an owner for a new company, with the focus in the dialog to its end', async () => {
    const { page, open } = visitor
    await open('/operator/companies')
    await page.getByRole('button', { name: 'Create a company' }).click()
    await page.keyboard.type('Lighthouse')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByLabel('Email address').fill('keeper@lighthouse.example')
    await page.keyboard.press('Enter')
    await dialog.getByText('keeper@lighthouse.example is invited as owner').waitFor()
    // The list behind the dialog has changed too, and must not have taken the focus.
    await page.getByText('keeper@lighthouse.example', { exact: true }).waitFor({ state: 'attached' })
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Copy' }).and(page.locator(':focus')).waitFor()
    assert.deepEqual(visitor.complaints, [])
  })
})
