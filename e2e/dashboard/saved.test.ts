/** What a list of the dashboard shows is what its file contains. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { useDashboard, visitAsOperator } from './support.ts'

/** The rows of the file that the button saves, without the header. */
async function saved(page: Page, button: string): Promise<readonly string[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: button, exact: true }).click()
  const [, ...rows] = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
  return rows
}

describe('lists that are saved as files', () => {
  const use = useDashboard()

  it('have a file for each of the two lists that are shown as one, and none for one recipient', async () => {
    const dashboard = use()
    const { visitor } = await visitAsOperator(dashboard)
    const { page, open } = visitor
    const app = await dashboard.service.createApp({ geo: { mode: 'block', countries: ['FR'] } })
    const { otp_id } = await app.send({ recipient: '+447400556688' })
    await app.attemptSend({ recipient: '+33612345678' })

    await open(`/a/${app.appId}/verifications`)
    await page.getByRole('table', { name: 'Verifications and refusals' }).getByText('Refused').waitFor()
    const started = await saved(page, 'CSV of started')
    assert.deepEqual([started.length, started[0]?.split(',')[0]], [1, otp_id])
    const refused = await saved(page, 'CSV of refused')
    assert.equal(refused.length, 1)
    assert.match(refused[0] ?? '', /\+33\*{4}78/)

    // A filter that only verifications have hides the refusals, and their file with them.
    await page.getByLabel('Status').selectOption('pending')
    await page.getByRole('button', { name: 'CSV', exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'CSV of refused' }).count(), 0)
    await page.getByRole('button', { name: 'Clear filters' }).click()

    // A file is asked for by its address, which contains no recipient: it would have everybody's rows.
    await page.getByLabel('Verification id, phone number or email address').fill('+44 7400 556688')
    await page.getByRole('button', { name: 'Find' }).click()
    for (const name of ['CSV of started', 'CSV of refused'])
      await page.locator('button[aria-disabled="true"]', { hasText: name }).waitFor()
    await page.getByRole('button', { name: 'CSV of started' }).hover()
    await page.getByRole('tooltip').getByText('A file cannot be limited to one recipient.').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()
    assert.equal((await saved(page, 'CSV of started')).length, 1)
    assert.deepEqual(visitor.complaints, [])
  })
})
