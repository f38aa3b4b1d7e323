/** What *Getting started* says of a message is true for whoever reads it, and before the service has answered. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { arrive, signInByCode, useDashboard, visitAsOperator } from './support.ts'

const example = '+447400123456'

describe('the first steps', () => {
  const use = useDashboard()

  it('say nothing of a simulator, and fill in nobody’s number, until the service has said who carries it', async () => {
    const { visitor, appId } = await visitAsOperator(use())
    const { page, open } = visitor
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/preview', async (route) => {
      await released
      await route.continue()
    })
    const asked = page.waitForRequest('**/preview')
    await open(`/a/${appId}/start`)
    await asked
    const field = page.getByLabel('Recipient')
    const said = () => page.locator('main').innerText()
    await page.getByText('a real message may be sent').waitFor()
    assert.equal(await field.inputValue(), '')
    assert.doesNotMatch(await said(), /simulator|\+447400/)
    release()
    await page.getByText('the simulator plays its phone').waitFor()
    assert.equal(await field.inputValue(), example)
    await page.getByRole('tabpanel').first().getByText(example).waitFor()
    await page.getByRole('link', { name: `Open the phone of ${example}` }).waitFor()
    // While something else is typed, nothing is known of it.
    await field.fill('+35')
    await page.getByText('a real message may be sent').waitFor()
    assert.doesNotMatch(await said(), /simulator/)
    // The phone is that of the recipient, though code to paste cannot hold every address.
    await field.fill(`o'neil@example.com`)
    await page.getByRole('link', { name: `Open the phone of o'neil@example.com` }).waitFor()
    await page.getByRole('tabpanel').first().getByText('"+…"').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('tell a developer that a message is real, though they cannot see the operator’s accounts', async () => {
    const dashboard = use()
    const { service, manage, visit } = dashboard
    const { appId, companyId } = await service.createApp()
    const email = 'first.steps@example.com'
    await manage('POST', `/companies/${companyId}/invitations`, { email, role: 'developer' })
    // Only for a country that nobody else here sends to.
    const { provider_id } = await manage<{ provider_id: string }>('POST', '/providers', {
      kind: 'smpp',
      channel: 'sms',
      countries: ['FO'],
      settings: {
        host: '127.0.0.1',
        port: 1,
        system_id: 'north',
        password: 'secret12',
        source_addr: 'North',
      },
    })
    try {
      const visitor = await visit()
      const { page, open } = visitor
      await signInByCode(dashboard, visitor, email)
      await arrive(page)
      await open(`/a/${appId}/start`)
      await page.getByText('the simulator plays its phone').waitFor()
      await page.getByLabel('Recipient').fill('+298 211234')
      await page.getByText('a real message is sent').waitFor()
      await page.getByText('The code arrives on the phone').waitFor()
      await page.getByLabel('Recipient').fill('+44 7400 555303')
      await page.getByText('the simulator plays its phone').waitFor()
      assert.deepEqual(visitor.complaints, [])
    } finally {
      await manage('DELETE', `/providers/${provider_id}`)
    }
  })
})
