/** A support person finds somebody, sees what became of their codes, and does something about it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { codeIn } from '../harness/simulator.ts'
import { arrive, signInByCode, useDashboard, visitAsOperator } from './support.ts'

const recipient = '+447400556677'
const written = '07400 (556) 677'

describe('support at the dashboard', () => {
  const use = useDashboard()

  it('sees on a phone too whether the message has arrived, in both lists, and no page is too wide', async () => {
    const { service, visit, signInWithLink } = use()
    const app = await service.createApp()
    const { otp_id } = await app.send({ recipient: '+447400556699' })
    await app.delivery(otp_id, 'delivered')
    const visitor = await visit({ width: 375, height: 812, hasTouch: true })
    const { page, open } = visitor
    await signInWithLink(visitor)
    const isWide = 'document.documentElement.scrollWidth > window.innerWidth'
    await open(`/a/${app.appId}/verifications`)
    await page.getByText('Message delivered').waitFor()
    assert.equal(await page.evaluate(isWide), false)
    await open(`/c/${app.companyId}/search`)
    await page.getByLabel('A whole phone number or email address').fill('+44 7400 556699')
    const [country, find] = [page.getByRole('combobox').first(), page.getByRole('button', { name: 'Find' })]
    // The whole of “Country of the number” can be read, beside the button.
    assert.ok(((await country.boundingBox())?.width ?? 0) > 260)
    assert.equal((await country.boundingBox())?.y, (await find.boundingBox())?.y)
    await find.click()
    await page.getByText('Message delivered').waitFor()
    assert.equal(await page.evaluate(isWide), false)
    assert.deepEqual(visitor.complaints, [])
  })

  it('looks at the other list without losing the country, the days and the person', async () => {
    const { visitor, appId } = await visitAsOperator(use())
    const { page, open } = visitor
    await open(`/a/${appId}/verifications?country=GB&from=2026-01-01&to=2126-01-01&status=failed`)
    const [number, view] = [
      page.getByLabel('Verification id, phone number or email address'),
      (name: string) => page.getByRole('radio', { name }).click(),
    ]
    await number.fill('+44 7400 556688')
    await page.getByRole('button', { name: 'Find' }).click()
    await view('Started')
    await page.waitForURL(/view=started/)
    assert.equal(await number.inputValue(), '+44 7400 556688')
    await page.getByRole('button', { name: 'Clear the search' }).waitFor()
    // Refusals have no status, and are looked for by a person elsewhere.
    await view('Refused')
    await page.waitForURL(/view=refused/)
    assert.doesNotMatch(page.url(), /status/)
    await view('All')
    await page.waitForURL((url) => !url.search.includes('view'))
    for (const [label, value] of [
      ['Country', 'GB'],
      ['From', '2026-01-01'],
      ['To', '2126-01-01'],
      ['Status', ''],
    ] as const)
      assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), value)
    assert.deepEqual(visitor.complaints, [])
  })

  it('finds a person as they wrote down their number, cancels, blocks and lets pass, and comes back to the result', async () => {
    const dashboard = use()
    const { service, manage, visit } = dashboard
    const app = await service.createApp()
    const { company_id } = await manage<{ company_id: string }>('GET', `/apps/${app.appId}`)
    const email = 'support@example.com'
    await manage('POST', `/companies/${company_id}/invitations`, { email, role: 'developer' })
    const { otp_id: otpId } = await app.send({ recipient })
    const { text } = await service.simulator.arrived(recipient, 'sms')
    const code = codeIn(text)
    const visitor = await visit()
    const { page, open } = visitor
    await signInByCode(dashboard, visitor, email)
    await arrive(page)
    await open(`/a/${app.appId}/overview`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    // From the palette, which accepts a number as people write it.
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('+44 7400-556 677')
    await page.getByRole('option', { name: /in all apps/ }).click()
    const found = page.getByRole('table', { name: 'Verifications' })
    await found.getByText('+44****77').waitFor()
    // And on the page itself, where a number without its calling code needs a country.
    await page.getByLabel('A whole phone number or email address').fill(written)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('choose its country').waitFor()
    await page.getByLabel('Country, if the number has no country code').selectOption('GB')
    await page.getByRole('button', { name: 'Find' }).click()
    await found.getByRole('link', { name: '+44****77' }).click()

    // Shows which account carried the message and what it said, with the code masked.
    await page.waitForURL(new RegExp(otpId))
    const messages = page.getByRole('list', { name: 'Messages' })
    await messages.getByText('the simulator').waitFor()
    await messages.getByText('1 segment').waitFor()
    await messages.getByText(text.replaceAll(code, '*'.repeat(code.length)).split('\n')[0] ?? '').waitFor()

    // The answer to “no code came” is at the top, with what can be done.
    const short = page.getByRole('region', { name: 'In short' })
    await short.getByText('The provider says that the SMS message arrived.').waitFor()
    assert.equal(await page.title(), '+44****77 · Acme Shop · Countersign')
    await short.getByRole('button', { name: 'Send the code again' }).click()
    await service.simulator.arrived(recipient, 'whatsapp')
    await short.getByText('The provider says that the WhatsApp message arrived.').waitFor()
    // On paper there are no buttons, and every time is exact.
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.getByRole('button', { name: 'Actions' }).isVisible(), false)
    assert.equal(await short.getByRole('button').isVisible(), false)
    assert.doesNotMatch(await page.getByRole('main').innerText(), /just now|ago/)
    await page.emulateMedia({ media: null })

    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Cancel this verification…' }).click()
    await page.getByRole('button', { name: 'Cancel the verification' }).click()
    await page.getByText('Cancelled. The code no longer works.').waitFor()
    await short.getByText('The person has to ask for a new code in the app').waitFor()
    const over = await service.caller.call<{ error: { type: string } }>('POST', '/api/v1/otp/verify', {
      key: app.key,
      body: { otp_id: otpId, code },
    })
    assert.deepEqual([over.status, over.body.error.type], [409, 'OtpNotPendingError'])

    // Going back shows the result again, with no recipient in any address; so does the link above the title.
    await page.goBack()
    await found.getByRole('link', { name: '+44****77' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Find a person' }).click()
    await found.getByText('+44****77').waitFor()
    assert.ok(!page.url().includes('7400'), page.url())
    await page.getByRole('button', { name: 'Block…' }).click()
    await page.getByRole('button', { name: 'Block', exact: true }).click()
    await page.getByText('Blocked in all apps of the company').waitFor()
    const blocked = await service.caller.call<{ error: { type: string } }>('POST', '/api/v1/otp/send', {
      key: app.key,
      body: { recipient },
    })
    assert.deepEqual([blocked.status, blocked.body.error.type], [403, 'RecipientBlockedError'])
    await page.getByRole('radio', { name: 'Refused' }).click()
    await page
      .getByRole('table', { name: 'Refusals' })
      .getByText('Blocked or allowed recipient')
      .last()
      .waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.getByText('“I didn’t get a code”').waitFor()
    const exceptions = page.getByRole('table', { name: 'Blocked and allowed' })
    await exceptions.getByRole('button', { name: /Remove the exception/ }).click()
    await exceptions.waitFor({ state: 'detached' })
    assert.equal((await app.send({ recipient })).status, 'pending')

    // The page of errors shows what the caller was told.
    await open(`/a/${app.appId}/errors`)
    const kinds = page.getByRole('table', { name: 'Kinds of errors' })
    await kinds.getByRole('link', { name: '403 RecipientBlockedError' }).click()
    await page
      .getByRole('table', { name: 'Errors', exact: true })
      .getByText('This recipient is blocked.')
      .waitFor()

    // The app's own list shows the refusal among the verifications, also when filtered by this person.
    await open(`/a/${app.appId}/verifications`)
    const all = page.getByRole('table', { name: 'Verifications and refusals' })
    await all.getByText('Blocked or allowed recipient').last().waitFor()
    assert.match((await all.getByRole('row').nth(1).getAttribute('title')) ?? '', /\d\d:\d\d:\d\d UTC$/)
    await all
      .getByText(/^This .* is blocked\.$/)
      .last()
      .waitFor()
    await page.getByLabel('Verification id, phone number or email address').fill('0044 7400 556677')
    await page.getByRole('button', { name: 'Find' }).click()
    await all.getByText('Blocked or allowed recipient').last().waitFor()
    await all.getByText('Pending').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()

    // Somebody who was only told an id finds it from any app, and comes back to the search.
    const { app_id: another } = await manage<{ app_id: string }>('POST', `/companies/${company_id}/apps`, {
      name: 'Another',
    })
    await open(`/a/${another}/verifications/${otpId}`)
    await page.waitForURL(new RegExp(`${app.appId}/verifications/${otpId}`))
    await open(`/c/${company_id}/search`)
    await page.getByLabel('or a verification id').fill(` ${otpId}`)
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`${app.appId}/verifications/${otpId}`))
    await page.getByRole('main').getByRole('link', { name: 'Find a person' }).click()
    await page.getByText('“I didn’t get a code”').waitFor()

    // The link back from a verification leads to the list with its filters.
    await open(`/a/${app.appId}/verifications?view=started&status=failed`)
    await found.getByRole('link', { name: '+44****77' }).click()
    await page.waitForURL(new RegExp(otpId))
    await page.getByRole('main').getByRole('link', { name: 'Verifications' }).click()
    await page.waitForURL(/\?view=started&status=failed$/)
    await page.getByRole('radio', { name: 'All' }).click()
    await page.getByRole('button', { name: 'Clear filters' }).click()

    // The list can be saved as a file.
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV of started' }).click()
    const file = await (await saved).path()
    const [header, ...rows] = (await readFile(file, 'utf8')).trim().split('\r\n')
    assert.match(header ?? '', /^otp_id,status,/)
    assert.equal(rows.length, 2)
    assert.ok(rows.some((row) => row.startsWith(`${otpId},failed,`)))
    assert.ok(!(await page.content()).includes(recipient))
    assert.deepEqual(visitor.complaints, [])
  })
})
