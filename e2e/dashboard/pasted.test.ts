/** A number that is typed or pasted into any field is taken as it is meant, or the field says what is wrong with it. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { useDashboard, type Visitor, visitAsOperator } from './support.ts'

/** Twelve in digits of two scripts, with the marks of a copied text. A table of its own has other ways to write it. */
const readable = '\u202a(１٢)\u00a0\u202c'
const unreadable = '\u22125'

interface Ids {
  readonly appId: string
  readonly companyId: string
}

interface Place {
  readonly path: (ids: Ids) => string
  /** What shows the fields, where they are not shown at once. */
  readonly show?: (page: Page) => Promise<unknown>
  readonly fields: number
}

const places: readonly Place[] = [
  { path: ({ appId }) => `/a/${appId}/settings`, fields: 6 },
  { path: ({ appId }) => `/a/${appId}/guard`, fields: 2 },
  { path: ({ appId }) => `/a/${appId}/guard?tab=limits`, fields: 12 },
  {
    path: ({ appId }) => `/a/${appId}/guard?tab=spend`,
    show: (page) =>
      page.getByRole('form', { name: 'Spend caps' }).getByRole('combobox').first().selectOption('amount'),
    fields: 1,
  },
  {
    path: ({ appId }) => `/a/${appId}/routing`,
    show: (page) => page.getByRole('radio', { name: 'Learned' }).click(),
    fields: 2,
  },
  { path: ({ companyId }) => `/c/${companyId}/alerts`, fields: 6 },
  {
    path: ({ companyId }) => `/c/${companyId}/billing`,
    show: (page) => page.getByRole('button', { name: 'Top up' }).click(),
    fields: 1,
  },
  { path: () => '/operator/prices', fields: 5 },
  { path: () => '/operator/alerts', fields: 5 },
  {
    path: () => '/operator/companies',
    show: (page) => page.getByRole('button', { name: 'Create a company' }).click(),
    fields: 1,
  },
  {
    path: () => '/operator/providers',
    show: async (page) => {
      await page.getByRole('button', { name: 'Add an account' }).click()
      await page.getByRole('dialog').locator('summary').click()
    },
    fields: 2,
  },
]

const isWrong = (field: Locator) => field.and(field.page().locator('[aria-invalid="true"]'))

describe('a number in a field of the dashboard', () => {
  const use = useDashboard()
  let visitor: Visitor
  let ids: Ids

  before(async () => {
    const { visitor: signedIn, ...made } = await visitAsOperator(use())
    visitor = signedIn
    ids = made
    // Nothing is saved: what would be sent has passed the check of the form.
    await visitor.page.route('**/manage/**', (route) =>
      route.request().method() === 'GET' || route.request().url().includes('preview')
        ? route.continue()
        : route.abort(),
    )
  })

  for (const { path, show, fields: most } of places) {
    it(`is as meant, or called wrong beside its field: ${path({ appId: '…', companyId: '…' })}`, async () => {
      const { page, open } = visitor
      await open(path(ids))
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      if (show) await show(page)
      const fields = page.locator(
        'form input:is([inputmode="numeric"], [inputmode="decimal"]):not(:disabled)',
      )
      await fields.first().waitFor()
      const count = await fields.count()
      assert.ok(count >= most, `${count} fields`)
      for (let index = 0; index < count; index++) {
        const field = fields.nth(index)
        const before = await field.inputValue()
        await field.fill(readable)
        assert.equal(await field.inputValue(), '12', `field ${index}`)
        await field.fill(unreadable)
        await field.press('Enter')
        await isWrong(field).waitFor()
        await field.fill(before)
      }
      // The next page is opened without a question about what was typed here.
      await page.evaluate(
        'addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), { capture: true })',
      )
    })
  }

  it('is shown as it will be saved, once its field is left', async () => {
    const { page, open } = visitor
    await open(`/a/${ids.appId}/settings`)
    const length = page.getByLabel('Code length')
    for (const [typed, shown] of [
      ['7.', '7'],
      ['1,000', '1000'],
      ['2.5', '2.5'],
    ] as const) {
      await length.fill(typed)
      assert.equal(await length.inputValue(), typed)
      await length.blur()
      assert.equal(await length.inputValue(), shown)
    }
    await page.getByRole('form', { name: 'Codes' }).getByRole('button', { name: 'Discard' }).click()
  })

  it('is refused as an amount that can be read in two ways, and read where its other mark tells', async () => {
    const { page, open } = visitor
    await open(`/c/${ids.companyId}/billing`)
    await page.getByRole('button', { name: 'Top up' }).click()
    const dialog = page.getByRole('dialog')
    const amount = dialog.getByLabel('Amount')
    await amount.pressSequentially('1,000')
    await amount.press('Enter')
    await dialog.getByText('Amount can be read in two ways: write 1000, or 1.000.').waitFor()
    await amount.fill('')
    await amount.pressSequentially('1,234.50')
    await amount.press('Enter')
    await dialog.getByRole('button', { name: /^Add .*1,234\.50$/ }).waitFor()
  })
})
