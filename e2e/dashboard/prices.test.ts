/** The price book keeps what was typed, while it is saved and while somebody else saves it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { useDashboard, visitAsOperator } from './support.ts'

/** A book of this page alone: all companies of the service have the other one. */
async function useOwnBook(page: Page) {
  let book: object = {
    currency: 'EUR',
    default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
    countries: {},
  }
  const held: { release: () => void } = { release: () => {} }
  let isHeld: Promise<void> | undefined
  await page.route('**/manage/v1/prices', async (route) => {
    if (route.request().method() === 'PUT') {
      await isHeld
      book = route.request().postDataJSON()
    }
    await route.fulfill({ json: book })
  })
  return {
    hold: () => {
      isHeld = new Promise((resolve) => {
        held.release = resolve
      })
    },
    release: () => held.release(),
    saved: () => book,
  }
}

describe('the price book in the dashboard', () => {
  const use = useDashboard()

  it('keeps the focus and what is typed while it is saved', async () => {
    const { visitor } = await visitAsOperator(use())
    const { page, open } = visitor
    const book = await useOwnBook(page)
    await open('/operator/prices')
    const [sms, email] = [page.getByLabel('SMS', { exact: true }), page.getByLabel('Email', { exact: true })]
    await sms.fill('0.06')
    book.hold()
    const asked = page.waitForRequest((request) => request.method() === 'PUT')
    await sms.press('Enter')
    await asked
    await email.fill('0.00')
    book.release()
    await page.getByText('Price book saved').first().waitFor()
    await page.keyboard.type('2')
    assert.equal(await email.inputValue(), '0.002')
    assert.equal(await sms.inputValue(), '0.06')
    await page.getByText('Not saved yet').waitFor()
    await email.press('Enter')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.ok(await email.evaluate((field) => field.matches(':focus')))
    assert.match(JSON.stringify(book.saved()), /"sms":"0.06".*"email":"0.002"/)
    assert.deepEqual(visitor.complaints, [])
  })

  it('keeps what is typed while a file is imported, and saves both', async () => {
    const { visitor } = await visitAsOperator(use())
    const { page, open } = visitor
    const book = await useOwnBook(page)
    await open('/operator/prices')
    const sms = page.getByLabel('SMS', { exact: true })
    await sms.fill('0.07')
    await page.getByLabel('A CSV file of prices').setInputFiles({
      name: 'prices.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('country,sms,email\r\ndefault,0.05,0.003\r\nDE,0.08,\r\n'),
    })
    await page.getByRole('button', { name: 'Save these prices' }).click()
    await page.getByLabel('SMS in Germany').waitFor()
    assert.equal(await sms.inputValue(), '0.07')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.match(
      JSON.stringify(book.saved()),
      /"sms":"0.07".*"email":"0.003".*"countries":\{"DE":\{"sms":"0.08"\}\}/,
    )
    assert.deepEqual(visitor.complaints, [])
  })
})
