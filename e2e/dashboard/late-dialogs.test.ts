/** Dialogs whose answers come late, are refused or get lost. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { holdChanges, refusal, refuse, smpp, useVisitor } from './late-support.ts'
import { follow, type Ids } from './places.ts'

/** Every dialog with a form that the address can open: where, its button, what is typed, and the button that sends it. */
const dialogs = [
  ['keys', ({ app_id }) => `/a/${app_id}/keys`, 'Create a key', [['Name', 'Tide']], 'Create the key'],
  [
    'endpoints',
    ({ app_id }) => `/a/${app_id}/webhooks`,
    'Add an endpoint',
    [['Address', 'https://tide.example/events']],
    'Add the endpoint',
  ],
  [
    'accounts',
    ({ app_id }) => `/a/${app_id}/channels?tab=accounts`,
    'Add an account',
    smpp,
    'Add the account',
  ],
  [
    'apps',
    ({ company_id }) => `/c/${company_id}/apps`,
    'Create an app',
    [['Name', 'Tide']],
    'Create the app',
  ],
  [
    'team',
    ({ company_id }) => `/c/${company_id}/team`,
    'Invite a person',
    [['Email address', 'tide@example.com']],
    'Invite',
  ],
  [
    'erasing',
    ({ company_id }) => `/c/${company_id}/settings`,
    'Erase a recipient…',
    [
      ['Recipient', '+447400555123'],
      ['Repeat it', '+447400555123'],
    ],
    'Erase permanently',
  ],
  [
    'companies',
    () => '/operator/companies',
    'Create a company',
    [['Name', 'Tide']],
    'Create and invite its owner',
  ],
  ['installation', () => '/operator/providers', 'Add an account', smpp, 'Add the account'],
] as const satisfies readonly (readonly [
  title: string,
  path: (ids: Pick<Ids, 'app_id' | 'company_id'>) => string,
  opener: string,
  fields: readonly (readonly [label: string, text: string])[],
  submit: string,
])[]

describe('whoever waits for an answer in a dialog', () => {
  const { use, visitor, newIds } = useVisitor()

  it('keeps what they typed in every dialog, whether the answer is late, refused or lost', async () => {
    const { page } = visitor()
    const ids = await newIds()
    await follow(page, '/account')
    for (const [title, path, opener, fields, submit] of dialogs) {
      await follow(page, path(ids))
      await page.getByRole('button', { name: opener }).first().click()
      const dialog = page.locator('[role="dialog"]')
      for (const [label, text] of fields) await dialog.getByLabel(label).fill(text)
      const isKept = async (moment: string) => {
        for (const [label, text] of fields)
          assert.equal(await dialog.getByLabel(label).inputValue(), text, `${title} ${moment}`)
      }
      const question = page.getByRole('alertdialog')
      const stays = async (name: string, button: string) => {
        await question.filter({ hasText: name }).getByRole('button', { name: button, exact: true }).click()
        await question.waitFor({ state: 'detached' })
        await isKept(name)
      }
      const goBack = () => page.evaluate('history.back()')

      const { next, end } = await holdChanges(page)
      await dialog.getByRole('button', { name: submit }).click()
      const late = await next()
      await page.keyboard.press('Escape')
      await stays('Stop waiting for the answer?', 'Wait')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await stays('Stop waiting for the answer?', 'Wait')
      await goBack()
      await stays('Leave without saving?', 'Stay')
      await refuse(late)
      await dialog.getByText(refusal.message).waitFor()
      await isKept('refused')
      assert.equal(await page.evaluate('document.activeElement === document.body'), false, title)

      await goBack()
      await stays('Leave without saving?', 'Stay')
      await dialog.getByRole('button', { name: submit }).click()
      await (await next()).abort()
      await dialog.getByText('The service could not be reached.').waitFor()
      await isKept('lost')

      // Somebody who does not wait hears of the refusal all the same.
      await dialog.getByRole('button', { name: submit }).click()
      const last = await next()
      await page.keyboard.press('Escape')
      await question.getByRole('button', { name: 'Stop waiting' }).click()
      await dialog.waitFor({ state: 'detached' })
      await refuse(last)
      const toast = page.getByRole('listitem').filter({ hasText: refusal.message })
      await toast.getByRole('button', { name: 'Dismiss' }).click()
      await toast.waitFor({ state: 'detached' })
      await end()
    }
    assert.deepEqual(visitor().complaints, [])
  })

  it('does not add money twice by going back while it is added', async () => {
    const { page, open } = visitor()
    const { company_id } = await newIds()
    await open(`/c/${company_id}/billing?open=top-up`)
    const dialog = page.locator('[role="dialog"]')
    await dialog.getByLabel('Amount').fill('3.21')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    const { next, end } = await holdChanges(page)
    await dialog.getByRole('button', { name: 'Add €3.21' }).click()
    const held = await next()
    await dialog.locator('button[aria-disabled="true"]', { hasText: 'Back' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Wait', exact: true }).click()
    await held.continue()
    await dialog.waitFor({ state: 'detached' })
    await end()

    // A file that breaks off is said to be so, too.
    await page.route(/\/ledger/, (route) =>
      route.request().headers().accept === 'text/csv' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'CSV' }).click()
    await page.getByRole('listitem').getByText('The service could not be reached.').waitFor()
  })

  it('can open their link once more if it got no answer', async () => {
    const { page, open } = await use().visit()
    await page.route('**/manage/v1/**', (route) => route.abort(), { times: 1 })
    await open('/sign-in#token=unknown')
    await page.getByText('The service could not be reached.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This link has already been used or has expired.').waitFor()
  })
})
