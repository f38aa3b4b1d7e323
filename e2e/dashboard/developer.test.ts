/** A developer at the dashboard: the first code, the phone on which it arrives, and where events go. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeIn } from '../harness/simulator.ts'
import { eventually } from '../harness/wait.ts'
import { findingsOn } from './axe.ts'
import { openReceiver, takePicture, useDashboard } from './support.ts'

describe('a developer at the dashboard', () => {
  const use = useDashboard()

  it('sends and checks the first code from the page, with the id filled in and each step ticked', async () => {
    const { service, manage, visit, signInWithLink } = use()
    const { company_id } = await manage<{ company_id: string }>('POST', '/companies', {
      name: 'Pier Ltd',
      balance: '5',
    })
    const { app_id } = await manage<{ app_id: string }>('POST', `/companies/${company_id}/apps`, {
      name: 'Pier',
    })
    const visitor = await visit()
    const { page, open } = visitor
    await signInWithLink(visitor)
    await open(`/a/${app_id}/start`)
    const step = (title: string) => page.getByRole('listitem').filter({ hasText: title }).first()
    const isDone = (title: string) =>
      page.getByRole('heading', { name: `${title} Done`, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Create a server key' }).click()
    await isDone('A key')
    const recipient = '+447400555301'
    // Typed as people write it. The page then shows the number as the service reads it.
    await page.getByLabel('Recipient').fill('(07400) 555-301')
    await page.getByRole('button', { name: 'Send a code' }).click()
    await page.getByText('If the number has no country code, choose its country.').waitFor()
    await page.getByLabel('Country, if the number has no country code').selectOption('GB')
    await page.getByRole('tabpanel').first().getByText(recipient).waitFor()
    await page.getByRole('button', { name: 'Send a code' }).click()
    const otpId = await eventually(
      'the id is shown',
      async () => /otp_\w{26}/.exec(await step('Send a code').innerText())?.[0] ?? '',
      (id) => id !== '',
    )
    for (const language of ['curl', 'Node', 'Python', 'Go', 'PHP']) {
      await page.getByRole('tab', { name: language, exact: true }).last().click()
      const code = page.getByRole('tabpanel').last()
      await code.getByText(otpId).waitFor()
      assert.match(await code.innerText(), /otp_sk_\w+/)
    }
    const { text } = await service.simulator.arrived(recipient, 'sms')
    await page.getByLabel('The code that arrived').fill(codeIn(text).replace(/^.../, '$& '))
    await page.getByRole('button', { name: 'Check the code' }).click()
    await page.getByText('Correct: this person is verified.').waitFor()
    for (const title of ['Send a code', 'See it arrive', 'Check the code']) await isDone(title)
    assert.ok(
      (await page.getByRole('link', { name: /Open the phone of/ }).getAttribute('href'))?.endsWith(recipient),
    )
    await takePicture(page, 'start-done')

    await open(`/a/${app_id}/keys`)
    const row = page.getByRole('table', { name: 'API keys' }).getByRole('row').nth(1)
    await row
      .getByText(/^otp_sk_\w{4}….{4}$/)
      .locator('visible=true')
      .waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('is told that a real message is sent once an account carries it, and to nobody by default', async () => {
    const { service, manage, visit, signInWithLink } = use()
    const { appId, companyId } = await service.createApp()
    const visitor = await visit()
    const { page, open } = visitor
    await signInWithLink(visitor)
    await manage('POST', '/providers', {
      kind: 'smtp',
      channel: 'email',
      company_id: companyId,
      settings: { host: '127.0.0.1', port: 1, from: 'codes@example.com' },
    })
    await open(`/a/${appId}/start`)
    const recipient = page.getByLabel('Recipient')
    await page.getByText('the simulator plays its phone').waitFor()
    await recipient.fill('me@example.com')
    await page.getByText('a real message is sent').waitFor()
    await page.getByText('in the mailbox, that you named').waitFor()
    await manage('POST', '/providers', {
      kind: 'smpp',
      channel: 'sms',
      company_id: companyId,
      settings: {
        host: '127.0.0.1',
        port: 1,
        system_id: 'day',
        password: 'secret12',
        source_addr: 'Day',
      },
    })
    await open(`/a/${appId}/start`)
    // Other numbers and addresses may still be the simulator's.
    await page.getByText('a real message may be sent').waitFor()
    assert.equal(await recipient.inputValue(), '')
    await recipient.fill('+447400555302')
    await page.getByText('a real message is sent').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('tries a code on the phones page, which follows what comes, and goes to the verification and back', async () => {
    const { service, visit, signInWithLink } = use()
    const { running, simulator } = service
    const { server_key } = running.firstApp
    const visitor = await visit()
    const { page } = visitor
    await signInWithLink(visitor)
    const sendTo = (recipient: string) =>
      service.caller.call('POST', '/api/v1/otp/send', { key: server_key, body: { recipient } })
    await sendTo('+447400555311')
    await simulator.arrived('+447400555311', 'sms')
    const phones = running.simulatorUrl.replace('127.0.0.1', 'localhost')
    await page.goto(phones)
    const title = (recipient: string) => page.getByRole('heading', { name: `As ${recipient}` }).waitFor()
    // Other tests send to phones at the same time, and each phone is shown only until the next message.
    await page.getByRole('heading', { name: /^As / }).waitFor()
    await page.evaluate(`{
      const shown = document.getElementById('tools-title')
      globalThis.titles = []
      new MutationObserver(() => titles.push(shown.textContent)).observe(shown, { childList: true })
    }`)
    await sendTo('+447400555312')
    await eventually(
      'the phone that it came to is shown',
      () => page.evaluate('titles') as Promise<string[]>,
      (titles) => titles.includes('As +44 7400 555312'),
    )

    // A phone that the address names stays selected.
    await page.goto(`${phones}#+447400555311`)
    await title('+44 7400 555311')
    await sendTo('+447400555315')
    await page.getByRole('button', { name: /7400 555315.*1 unread/ }).waitFor()
    await title('+44 7400 555311')

    await page.getByLabel('Follow new messages').uncheck()
    await sendTo('+447400555313')
    await page.getByRole('button', { name: /7400 555313.*1 unread/ }).waitFor()
    await title('+44 7400 555311')
    await page.getByPlaceholder('Search').fill('7400 555 313')
    await eventually(
      'one is found',
      () => page.getByRole('navigation', { name: 'Conversations' }).getByRole('button').count(),
      (count) => count === 1,
    )
    await page.getByPlaceholder('Search').fill('')

    await page.getByLabel('Open a phone').fill('+44 7400 555314')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await title('+44 7400 555314')
    await page.getByLabel('What happens to messages').selectOption('reject')
    await page.getByLabel('Only the next message').check()
    await page.getByText('The carrier refuses it, the next message only').waitFor()
    await page.getByRole('button', { name: 'Send a code' }).click()
    await page.getByRole('log').getByText('A message was refused by the carrier.').waitFor()
    await page.getByText('Rules in force').waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: 'Send another' }).click()
    const code = await page
      .getByRole('log')
      .getByRole('button', { name: /Copy the code/ })
      .innerText()
    await page.getByRole('log').getByText('Raw').click()
    await page.getByText(/^1 segment, GSM-7/).waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      const contrast = (await findingsOn(page, scheme)).filter((finding) =>
        finding.startsWith('color-contrast'),
      )
      assert.deepEqual(contrast, [], `the phones page, ${scheme}`)
      await takePicture(page, `phones-${scheme}`)
    }
    await page.getByPlaceholder('The code').fill(code)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.getByText('Correct: the verification is approved.').first().waitFor()
    const [verification] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open the verification' }).click(),
    ])
    await verification.getByText('Approved').first().waitFor()
    const [phone] = await Promise.all([
      page.context().waitForEvent('page'),
      verification.getByRole('link', { name: 'Open the phone' }).click(),
    ])
    await phone.getByRole('heading', { name: 'As +44 7400 555314' }).waitFor()

    await page.getByRole('button', { name: /7400 555311/ }).click()
    const [found] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Find in the dashboard' }).click(),
    ])
    await found.getByRole('table', { name: 'Verifications' }).getByText('+44****11').first().waitFor()
    assert.ok(!found.url().includes('555311'), found.url())
    assert.deepEqual(visitor.complaints, [])
  })

  it('sends some events to a second endpoint, sees what each was sent, and finds what is held', async () => {
    const { service, manage, visit, signInWithLink } = use()
    const app = await service.createApp()
    const [first, second] = [await openReceiver(), await openReceiver()]
    try {
      await manage('PUT', `/apps/${app.appId}/webhook`, { url: first.url })
      const visitor = await visit()
      const { page, open } = visitor
      await signInWithLink(visitor)
      await open(`/a/${app.appId}/webhooks`)
      await page.getByRole('button', { name: 'Add an endpoint' }).click()
      await page.getByRole('textbox', { name: 'Address' }).fill(second.url)
      await page.getByText('Only some').click()
      for (const type of ['otp.failed', 'delivery.delivered', 'delivery.failed'])
        await page.getByLabel(type).uncheck()
      await page.getByRole('button', { name: 'Add the endpoint' }).click()
      await page
        .getByRole('dialog', { name: 'The signing secret' })
        .getByRole('button', { name: /copied/ })
        .click()
      await page.getByText('otp.approved', { exact: true }).waitFor()
      second.answerWith(410)
      const recipient = 'pier@example.com'
      const { otp_id } = await app.send({ recipient })
      const { text } = await service.simulator.arrived(recipient, 'email')
      await app.verify(otp_id, codeIn(text))
      await page.getByText('The endpoint is paused', { exact: true }).waitFor({ state: 'attached' })

      await open(`/a/${app.appId}/events`)
      await page.getByText('1 of 2 endpoints is paused: 1 event is held').waitFor()
      await page.getByLabel('Status').selectOption('held')
      const rows = page
        .getByRole('table', { name: 'Events' })
        .getByRole('button', { name: /^(otp|delivery)\./ })
      await eventually(
        'one event is held',
        () => rows.allInnerTexts(),
        (names) => names.length === 1 && names[0] === 'otp.approved',
      )
      await page.getByLabel('Status').selectOption('waiting')
      await page.getByText('No matching events').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByLabel('Answer').selectOption('4xx')
      await rows.first().click()
      const dialog = page.getByRole('dialog', { name: 'otp.approved' })
      await dialog.getByText(second.url).first().waitFor()
      await dialog.getByText('Request headers').first().click()
      await dialog.getByText('X-Webhook-Signature', { exact: true }).first().waitFor()
      await dialog.getByText(`"otp_id":"${otp_id}"`).waitFor()
      await eventually(
        'the first one gets everything',
        () => first.ids.length,
        (count) => count === 2,
      )
      await takePicture(page, 'event-of-two')
      assert.deepEqual(visitor.complaints, [])
    } finally {
      await Promise.all([first.close(), second.close()])
    }
  })
})
