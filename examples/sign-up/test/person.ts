/** What a person does and sees on the page. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Channel, codeIn, type Simulator } from '../../../e2e/harness/simulator.ts'

export async function enterRecipient(page: Page, recipient: string): Promise<void> {
  await page.getByLabel('Mobile number or email').fill(recipient)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Fills in the code, as a phone does that reads the message. */
export async function autofill(
  page: Page,
  simulator: Simulator,
  recipient: string,
  channel: Channel,
  count = 1,
): Promise<string> {
  const code = codeIn((await simulator.arrived(recipient, channel, count)).text)
  await page.getByLabel('Code').fill(code)
  return code
}

export const confirm = (page: Page) => page.getByRole('button', { name: 'Confirm' }).click()

export const isTold = (page: Page, text: string) =>
  page.getByRole('alert').filter({ hasText: text }).waitFor()

export const isSentBy = (page: Page, words: string) =>
  page.locator('.lead:visible').filter({ hasText: words }).waitFor()

export async function isSignedUp(page: Page, recipient: string): Promise<void> {
  await page.getByRole('heading', { name: 'Welcome to Meadow' }).waitFor()
  assert.equal(await page.locator('[data-text=recipient]').innerText(), recipient)
}
