/** The page of the simulator on a phone, where its list and a conversation take turns. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useDashboard } from './support.ts'

describe('the phones page on a phone', () => {
  const use = useDashboard()

  it('leads back from a conversation to the list, by the browser and by its own button', async () => {
    const { service, visit } = use()
    const { page, complaints } = await visit({ width: 390, height: 844, hasTouch: true })
    const list = `http://localhost:${service.running.ports.simulator}/`
    await page.goto(list)
    const conversation = page.getByText('phone of +44 7400 555941')
    const openPhone = async () => {
      await page.getByLabel('Open a phone').fill('+447400555941')
      await page.getByRole('button', { name: 'Open', exact: true }).click()
      await conversation.waitFor()
    }
    await openPhone()
    await page.goBack()
    assert.equal(page.url(), list)
    await page.getByRole('heading', { name: 'Phones' }).waitFor()
    await page.goForward()
    await conversation.waitFor()
    await page.getByRole('button', { name: 'All phones' }).click()
    await page.getByRole('heading', { name: 'Phones' }).waitFor()

    // Its own button goes back too: the list is not left twice.
    await page.goto(`${list}docs-of-nobody`)
    await page.goto(list)
    await openPhone()
    await page.getByRole('button', { name: 'All phones' }).click()
    await page.getByRole('heading', { name: 'Phones' }).waitFor()
    assert.equal(page.url(), list)
    await page.goBack()
    assert.equal(page.url(), `${list}docs-of-nobody`)
    assert.deepEqual(complaints, [])
  })
})
