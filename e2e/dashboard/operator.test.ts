/** An operator's day: the state of accounts, who gets alerts, and a company that was created by mistake. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { withDatabase } from '../harness/database.ts'
import { openReceiver, takePicture, useDashboard, type Visitor, visitAsOperator } from './support.ts'

describe('an operator', () => {
  const use = useDashboard()
  let visitor: Visitor

  before(async () => {
    const { visit, signInWithLink } = use()
    visitor = await visit()
    await signInWithLink(visitor)
  })

  it('is told at once that an account cannot connect, keeps what was typed on Escape, and tests it', async () => {
    const { page, open } = visitor
    await open('/operator/providers')
    // There are companies; at most none has been chosen yet.
    const place = await page.getByRole('button', { name: /^Switch app:/ }).innerText()
    assert.doesNotMatch(place, /No companies/)
    await page.getByRole('button', { name: 'Add an account' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Host').fill('127.0.0.1')
    await dialog.getByLabel('Port').fill('1')
    await dialog.getByLabel('System ID').fill('night')
    await dialog.getByLabel('Password').fill('secret12')
    await dialog.getByLabel('Sender').fill('Night')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keep editing' }).click()
    assert.equal(await dialog.getByLabel('System ID').inputValue(), 'night')
    await dialog.getByRole('button', { name: 'Add the account' }).click()
    await dialog.getByText('The account is saved, but it cannot connect').waitFor()
    await dialog.getByText(/ECONNREFUSED/).waitFor()
    await takePicture(page, 'provider-cannot-connect')
    await dialog.getByRole('button', { name: 'Leave it as it is' }).click()
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('row').filter({ hasText: 'Night' })
    await row.getByText('Failing').filter({ visible: true }).waitFor()
    await open(`/a/${use().service.running.firstApp.app_id}/channels`)
    await page.getByText('(the operator’s, failing)').waitFor()
    await open('/operator/providers')

    await row.getByRole('button', { name: /^Test/ }).click()
    await dialog.getByLabel('Phone number').fill('+44 7400 123456')
    await dialog.getByRole('button', { name: 'Send the message' }).click()
    await dialog
      .getByRole('status')
      .getByText(/ECONNREFUSED/)
      .waitFor()
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: /^Remove/ }).click()
    await page.getByRole('button', { name: 'Remove the account' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('sees what was spent before, beside what is spent now, and what this month cost in each country', async () => {
    const { service } = use()
    const { page, open } = visitor
    const app = await service.createApp()
    await app.send({ recipient: '+447400555801' })
    await withDatabase(service.running, (client) =>
      client.query(
        `insert into figures
         select $1, $2, 'hour', date_trunc('hour', now(), 'UTC') - age, 'sms', country, sends, sends, sends, 0, sends, sends * 50000::bigint,
                array[66]::smallint[], array[sends], now() + interval '9 days'
           from (values (interval '36 hours', 'GB', 60), (interval '2 hours', 'AE', 1250000)) past (age, country, sends)`,
        [app.companyId, app.appId],
      ),
    )
    await open(`/c/${app.companyId}/billing?tab=days`)
    await page.getByRole('table', { name: 'This month by country' }).getByText('United Kingdom').waitFor()
    await open(`/a/${app.appId}/overview?period=24h`)
    await page.getByText('€3.00 before').waitFor()
    // Even with large amounts no column is cut off at the edge of its table.
    await page.getByRole('table', { name: 'By country' }).getByText('€62,500.00').waitFor()
    const clipped = `[...document.querySelectorAll('main table')]
      .filter((table) => table.offsetWidth > table.parentElement.clientWidth)
      .map((table) => table.caption.innerText)`
    assert.deepEqual(await page.evaluate(clipped), [])
  })

  it('sees this month by country although the browser’s clock is ahead, and already in the next one', async () => {
    const { visitor: ahead, companyId } = await visitAsOperator(use())
    const now = new Date()
    await ahead.page.clock.setFixedTime(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
    await ahead.open(`/c/${companyId}/billing?tab=days`)
    await ahead.page.getByText('No app of the company has sent a message this month.').waitFor()
  })

  it('sees the signing secret of alerts once, and rotates it', async () => {
    const { page, open } = visitor
    await open('/operator/alerts')
    await page.getByRole('button', { name: 'Add an address' }).click()
    await page.getByLabel('Kind').selectOption('webhook')
    await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/alerts')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const shown = page.getByText(/^whsec_/)
    await shown.waitFor()
    const first = await shown.innerText()
    await page.getByRole('button', { name: 'Rotate the signing secret' }).click()
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    await page.getByText('Signing secret rotated').first().waitFor()
    await page
      .getByText(/^whsec_/)
      .filter({ hasNotText: first })
      .waitFor()
    await open('/operator/alerts')
    await page.getByRole('button', { name: 'Rotate the signing secret' }).waitFor()
    assert.equal(await shown.count(), 0)
    await page.getByRole('button', { name: 'Remove address 1' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Nobody gets alerts yet.').waitFor()
  })

  it('sets who is told, tries it out, and sees all companies, sorted as wanted', async () => {
    const { page, open } = visitor
    const receiver = await openReceiver()
    try {
      await open('/operator/alerts')
      await page.getByRole('button', { name: 'Add an address' }).click()
      await page.getByLabel('Kind').selectOption('slack')
      await page.getByLabel('Slack webhook URL').fill(receiver.url)
      const dead = page.getByRole('group', { name: 'A provider account fails' })
      await dead.getByLabel('minutes').fill('5')
      await dead.getByLabel('Wait during quiet hours').click()
      await dead.getByLabel('Also alert when it is over').click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Alerts saved').first().waitFor()
      await page.getByRole('button', { name: 'Send a test alert' }).click()
      await page.getByRole('status').getByText('Sent').waitFor()
      await takePicture(page, 'operator-alerts-set')
      await open('/operator/alerts')
      assert.equal(await dead.getByLabel('minutes').inputValue(), '5')
      assert.equal(await dead.getByLabel('Wait during quiet hours').getAttribute('aria-checked'), 'false')
      assert.equal(await dead.getByLabel('Also alert when it is over').getAttribute('aria-checked'), 'false')
      for (const name of ['Wait during quiet hours', 'Also alert when it is over'])
        await dead.getByLabel(name).click()
      await dead.getByLabel('minutes').fill('2')
      await page.getByRole('button', { name: 'Remove address 1' }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Nobody gets alerts yet.').waitFor()
    } finally {
      await receiver.close()
    }
    await open('/operator/home')
    const table = page.getByRole('table', { name: 'Companies, last 24 hours' })
    await table.waitFor()
    await page.getByRole('button', { name: 'Sort by Balance' }).click()
    assert.equal(
      await page.getByRole('button', { name: 'Sort by Balance' }).getAttribute('aria-pressed'),
      'true',
    )
    await page.getByText('Provider health').first().waitFor()
    await takePicture(page, 'operator-home')
  })

  it('sees what a place owed and what that held back, and what was spent, by keyboard and as a table', async () => {
    const { page, open } = visitor
    const { service, manage } = use()
    const app = await service.createApp({ pumping: { mode: 'enforce' } })
    const { company_id } = await manage<{ company_id: string }>('GET', `/apps/${app.appId}`)
    let held = 0
    for (let index = 0; index < 40; index++) {
      const recipient = `+9945032${String((index * 1_037) % 100_000).padStart(5, '0')}`
      const { status } = await app.attemptSend({ recipient, client_ip: `86.11.${index}.7` })
      if (status === 429) held++
    }
    assert.ok(held > 0)
    await open(`/a/${app.appId}/guard`)
    const chart = page.getByRole('slider', { name: /^What Azerbaijan.* owed$/ })
    await chart.focus()
    await page.keyboard.press('End')
    assert.match(
      (await chart.getAttribute('aria-valuetext')) ?? '',
      /Owed [\d.]+, Threshold [\d.]+, Held back \d+$/,
    )
    await page.getByText('Show as a table').first().click()
    const table = page.getByRole('table', { name: /^What Azerbaijan.* owed$/ })
    await table.getByRole('columnheader', { name: 'Threshold' }).waitFor()
    await page.getByRole('radio', { name: '7 days' }).click()
    await page
      .getByText(/sends? held back, which would have cost €\d/)
      .first()
      .waitFor()
    await takePicture(page, 'guard-debt')

    await open(`/c/${company_id}/billing?tab=days`)
    const spent = page.getByRole('slider', { name: 'Spent by day' })
    await spent.focus()
    await page.keyboard.press('End')
    assert.match((await spent.getAttribute('aria-valuetext')) ?? '', /Spent €\d/)
  })

  it('pauses and deletes an app, and closes a company that was made by mistake', async () => {
    const { page, open } = visitor
    const { manage } = use()
    const { company_id: companyId } = await manage<{ company_id: string }>('POST', '/companies', {
      name: 'Made by mistake',
    })
    const { app_id: appId } = await manage<{ app_id: string }>('POST', `/companies/${companyId}/apps`, {
      name: 'Wrong app',
    })
    await open(`/a/${appId}/settings`)
    await page.getByRole('button', { name: 'Pause the app…' }).click()
    await page.getByRole('button', { name: 'Pause the app', exact: true }).click()
    await page.getByRole('button', { name: 'Resume the app' }).waitFor()
    await page.getByRole('button', { name: 'Delete the app…' }).click()
    await page.getByLabel(/Type/).fill('Wrong app')
    await page.getByRole('button', { name: 'Delete the app', exact: true }).click()
    await page.waitForURL(/\/c\/cmp_[^/]+\/apps/)
    await page.getByText('No apps yet').waitFor()

    await open(`/c/${companyId}/settings`)
    await page.getByRole('button', { name: 'Close the company…' }).click()
    await page.getByLabel(/Type/).fill('Made by mistake')
    await page.getByRole('button', { name: 'Close the company', exact: true }).click()
    await page.waitForURL(/\/operator\/companies/)
    await page.getByText('The company is closed.').first().waitFor()
    await page.getByRole('link', { name: 'Made by mistake' }).waitFor({ state: 'detached' })
  })
})
