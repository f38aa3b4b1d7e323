import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Backend } from '../harness/app.ts'
import { codeIn } from '../harness/simulator.ts'
import { eventually } from '../harness/wait.ts'
import { arrive, openReceiver, signInByCode, useDashboard, type Visitor } from './support.ts'

const secretIn = (visitor: Visitor, shape: RegExp) =>
  eventually(
    'the secret is shown',
    async () => shape.exec(await visitor.page.getByRole('dialog').innerHTML())?.[0] ?? '',
    (text) => text !== '',
  )

describe('a customer at the dashboard', () => {
  const use = useDashboard()

  it('signs in by an email code, makes an app and a key, sets the order, and sees a verification to its approval', async () => {
    const dashboard = use()
    const { service, manage, visit } = dashboard
    const { company_id } = await manage<{ company_id: string }>('POST', '/companies', {
      name: 'Harbour Ltd',
      balance: '50',
    })
    const email = 'grace@example.com'
    await manage('POST', `/companies/${company_id}/invitations`, { email, role: 'developer' })
    const visitor = await visit()
    const { page, open } = visitor
    await signInByCode(dashboard, visitor, email)

    // For a company without an app the dialog to create one opens at once.
    const dialog = page.getByRole('dialog', { name: 'Create an app' })
    await dialog.getByLabel('Name').fill('Harbour')
    await dialog.getByRole('button', { name: 'Create the app' }).click()
    await page.waitForURL(/\/a\/app_\w+\//)
    const appId = /app_\w+/.exec(page.url())?.[0] ?? ''

    await open(`/a/${appId}/keys`)
    await page.getByRole('button', { name: 'Create a key' }).first().click()
    await page.getByLabel('Name').fill('Shop backend')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const key = await secretIn(visitor, /otp_sk_\w+/)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /saved|copied|done|have it/i })
      .click()
    await page.getByRole('table', { name: 'API keys' }).getByText('Shop backend').waitFor()
    assert.ok(!(await page.content()).includes(key), 'a key is shown once')

    await open(`/a/${appId}/routing`)
    await page.getByRole('button', { name: 'Move Telegram up' }).click()
    await page.getByRole('button', { name: 'Move Telegram up' }).click()
    await page.getByRole('form', { name: 'Default order' }).getByRole('button', { name: 'Save' }).click()
    await page.getByText('The order is saved').first().waitFor()
    await page.getByLabel('Number or email address').fill('+447400555001')
    await page.getByText('Telegram', { exact: true }).last().waitFor()

    const backend = new Backend(service.caller, key)
    const sent = await backend.send({ recipient: '+447400555001' })
    assert.equal(sent.channel, 'telegram')
    await open(`/a/${appId}/verifications`)
    await page
      .getByRole('link', { name: new RegExp(sent.otp_id.slice(-6)) })
      .or(page.getByText(sent.masked_recipient))
      .first()
      .click()
    await page.waitForURL(new RegExp(sent.otp_id))
    const { text } = await service.simulator.arrived('+447400555001', 'telegram')
    assert.equal((await backend.verify(sent.otp_id, codeIn(text))).matched, true)
    await page.reload()
    await page.getByText('Approved').first().waitFor()
    assert.ok(!(await page.content()).includes('+447400555001'), 'no page shows a whole recipient')
    assert.deepEqual(visitor.complaints, [])
  })

  it('breaks the webhook, sees it paused, enables it again, and sees what was held drain', async () => {
    const { service, manage, visit, signInWithLink } = use()
    const app = await service.createApp()
    const receiver = await openReceiver()
    try {
      const visitor = await visit()
      const { page, open } = visitor
      await signInWithLink(visitor)
      await open(`/a/${app.appId}/keys`)
      await page.getByRole('button', { name: 'Add an endpoint' }).click()
      await page.getByLabel('Address').fill('nonsense')
      await page.getByRole('button', { name: 'Add the endpoint' }).click()
      await page.getByText('Address must be a whole address such as https://example.com/webhooks.').waitFor()
      await page.getByLabel('Address').fill(receiver.url)
      await page.getByRole('button', { name: 'Add the endpoint' }).click()
      assert.match(await secretIn(visitor, /whsec_[\w+/=]+/), /^whsec_/)
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /saved|copied|done|have it/i })
        .click()

      receiver.answerWith(500)
      // Each verification makes two events, delivered and approved. Twenty failures in a row pause an endpoint.
      for (let index = 0; index < 12; index++) {
        const recipient = `harbour${index}@example.com`
        const { otp_id } = await app.send({ recipient })
        const { text } = await service.simulator.arrived(recipient, 'email')
        await app.verify(otp_id, codeIn(text))
      }
      await eventually(
        'the endpoint is paused',
        () => manage<{ status: string }>('GET', `/apps/${app.appId}/webhook`),
        ({ status }) => status === 'paused',
      )
      await page.reload()
      await page
        .getByText(/events are held|held/)
        .first()
        .waitFor()
      receiver.answerWith(200)
      await page.getByRole('button', { name: 'Enable again' }).click()
      await page
        .getByText(/held events were sent/)
        .last()
        .waitFor()
      const listEvents = () =>
        manage<{ events: { id: string; status: string }[] }>('GET', `/apps/${app.appId}/events?limit=200`)
      // Receipts of the last messages may arrive, and their events be sent, after the held events.
      const { events } = await eventually(
        'every event has come',
        listEvents,
        (listed) => listed.events.length >= 24 && new Set(receiver.ids).size === listed.events.length,
      )
      assert.deepEqual([...new Set(receiver.ids)].sort(), events.map(({ id }) => id).sort())
      assert.deepEqual(visitor.complaints, [])
    } finally {
      await receiver.close()
    }
  })

  it('as a viewer changes nothing, and finds nothing of another company', async () => {
    const dashboard = use()
    const { service, manage, visit } = dashboard
    const [own, other] = [await service.createApp(), await service.createApp()]
    const email = 'vera@example.com'
    await manage('POST', `/companies/${own.companyId}/invitations`, { email, role: 'viewer' })
    const visitor = await visit()
    const { page, open } = visitor
    await signInByCode(dashboard, visitor, email)
    await arrive(page)

    await open(`/a/${own.appId}/keys`)
    const create = page.getByRole('button', { name: 'Create a key' }).first()
    await create.waitFor()
    assert.equal(await create.getAttribute('aria-disabled'), 'true')
    await create.click({ force: true })
    assert.equal(await page.getByRole('dialog').count(), 0)
    // An action that a viewer may not take is shown, so that they can ask somebody who may.
    const { otp_id: otpId } = await own.send({ recipient: '+447400555190' })
    await open(`/a/${own.appId}/verifications/${otpId}`)
    await page.getByRole('region', { name: 'In short' }).waitFor()
    const again = page.getByRole('button', { name: 'Send the code again' })
    assert.equal(await again.count(), 1)
    assert.equal(await again.getAttribute('aria-disabled'), 'true')
    const refused = await page.evaluate(
      async (path) =>
        (
          await fetch(path, {
            method: 'PATCH',
            body: '{"name":"Mine"}',
            headers: { 'content-type': 'application/json' },
          })
        ).status,
      `/manage/v1/apps/${own.appId}`,
    )
    assert.equal(refused, 403)

    for (const path of [
      `/a/${other.appId}/overview`,
      `/c/${other.companyId}/billing`,
      '/a/app_nothing/keys',
    ]) {
      await open(path)
      await page.getByText('There is nothing at this address').waitFor()
    }
    await open('/operator/companies')
    await page.getByText('There is nothing at this address').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })
})
