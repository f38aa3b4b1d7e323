/** Passkeys in a real browser, with a virtual authenticator of Chromium; proving again before a change; operators. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { codeIn } from '../harness/simulator.ts'
import { arrive, signInByCode, takePicture, useDashboard, type Visitor } from './support.ts'

/** A virtual authenticator like a laptop's fingerprint reader, which always confirms. */
async function giveAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** The next such change is refused because the last proof is too old; the one after it goes through. */
async function refuseOnce(page: Page, path: RegExp): Promise<void> {
  const body = {
    error: { type: 'FreshSignInNeededError', message: 'Prove once more who you are.', details: {} },
    request_id: 'req_e2e_refused',
  }
  await page.route(path, (route) => route.fulfill({ status: 403, json: body }), { times: 1 })
}

const looks = [
  ['light', { width: 1_280, colorScheme: 'light' }],
  ['phone-dark', { width: 390, height: 844, colorScheme: 'dark', hasTouch: true }],
] as const

describe('people at the dashboard', () => {
  const use = useDashboard()

  const companyWith = async (name: string, email: string, role: string) => {
    const { manage } = use()
    const { company_id } = await manage<{ company_id: string }>('POST', '/companies', { name, balance: '5' })
    const { app_id } = await manage<{ app_id: string }>('POST', `/companies/${company_id}/apps`, { name })
    await manage('POST', `/companies/${company_id}/invitations`, { email, role })
    return { companyId: company_id, appId: app_id }
  }

  async function makePasskey({ page, open }: Visitor, name: string): Promise<void> {
    await open('/account')
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a passkey' })
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByRole('button', { name: 'Create the passkey' }).click()
    await page.getByRole('table', { name: 'Passkeys' }).getByText(name).waitFor()
  }

  it('make a passkey, name it, sign in with it, and remove it', async () => {
    const dashboard = use()
    await companyWith('Lighthouse Ltd', 'olga@example.com', 'owner')
    const visitor = await dashboard.visit()
    const { page, open } = visitor
    await giveAuthenticator(page)
    await signInByCode(dashboard, visitor, 'olga@example.com')
    await arrive(page)
    await makePasskey(visitor, 'Laptop')
    await page.getByRole('button', { name: 'Rename Laptop' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Old laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('table', { name: 'Passkeys' }).getByText('Old laptop').waitFor()
    await takePicture(page, 'account-passkeys')

    await page.context().clearCookies()
    await open('/sign-in')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await arrive(page)
    await open('/account')
    await page.getByText('Signed in as olga@example.com').waitFor()
    await page.getByRole('button', { name: 'Remove Old laptop' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('You have no passkey yet').waitFor()

    await page.context().clearCookies()
    await open('/sign-in')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey was not accepted').waitFor()
    assert.deepEqual(visitor.complaints, [])
  })

  it('go on with what they typed after a passkey of their own, and not in the name of somebody else', async () => {
    const dashboard = use()
    const { appId } = await companyWith('Quay Ltd', 'rosa@example.com', 'developer')
    const visitor = await dashboard.visit()
    const { page, open } = visitor
    await giveAuthenticator(page)
    await signInByCode(dashboard, visitor, 'rosa@example.com')
    await arrive(page)
    await makePasskey(visitor, 'Laptop')
    await open(`/a/${appId}/settings`)
    const card = page.getByRole('form', { name: 'Name and language' })
    await card.getByRole('textbox', { name: 'Name' }).fill('Of Rosa')
    await page.context().clearCookies()
    const passkeyOfSomebodyElse = async (route: Route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { person_id: 'prs_somebody_else' } })
    }
    await page.route('**/sign-in/passkey', passkeyOfSomebodyElse, { times: 1 })
    await card.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await dialog.getByText('That passkey belongs to somebody else').waitFor()
    const nameNow = async () => (await dashboard.manage<{ name: string }>('GET', `/apps/${appId}`)).name
    assert.equal(await nameNow(), 'Quay Ltd')
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('Name and language saved').first().waitFor()
    assert.equal(await nameNow(), 'Of Rosa')
    assert.deepEqual(visitor.complaints, [])
  })

  for (const [name, look] of looks) {
    it(`are asked whether it is still them, and go on with what they were doing (${name})`, async () => {
      const dashboard = use()
      const email = `ines-${name}@example.com`
      const { appId } = await companyWith(`Harbour ${name}`, email, 'developer')
      const visitor = await dashboard.visit(look)
      const { page, open } = visitor
      await giveAuthenticator(page)
      await signInByCode(dashboard, visitor, email)
      await arrive(page)

      await open(`/a/${appId}/keys`)
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      await page.getByLabel('Name').fill('Shop backend')
      await refuseOnce(page, /\/keys$/)
      await page.getByRole('button', { name: 'Create the key' }).click()
      const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' })
      await takePicture(page, `proof-${name}`)
      await proof.getByRole('button', { name: `Send a code to ${email}` }).click()
      const { text } = await dashboard.service.simulator.arrived(email, 'email', 2)
      await proof.getByLabel('Code').fill(codeIn(text, 8))
      await takePicture(page, `proof-code-${name}`)
      await page.keyboard.press('Enter')
      await proof.waitFor({ state: 'detached' })
      await page
        .getByText(/otp_sk_\w{66}/)
        .first()
        .waitFor()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /saved|copied|done|have it/i })
        .click()
      await page.getByRole('table', { name: 'API keys' }).getByText('Shop backend').waitFor()

      await makePasskey(visitor, 'This device')
      await open(`/a/${appId}/keys`)
      await page.getByRole('button', { name: 'Create a key' }).first().click()
      await page.getByLabel('Name').fill('Given up')
      await refuseOnce(page, /\/keys$/)
      await page.getByRole('button', { name: 'Create the key' }).click()
      await proof.waitFor()
      await page.keyboard.press('Escape')
      await page.getByText('Prove once more who you are.').waitFor()
      assert.equal(await page.getByLabel('Name').inputValue(), 'Given up', 'what was typed is kept')
      await refuseOnce(page, /\/keys$/)
      await page.getByRole('button', { name: 'Create the key' }).click()
      await proof.getByRole('button', { name: 'Use a passkey' }).click()
      await page
        .getByText(/otp_sk_\w{66}/)
        .first()
        .waitFor()
      assert.deepEqual(visitor.complaints, [])
    })

    it(`are asked for a passkey where the company wants one, and then see it (${name})`, async () => {
      const dashboard = use()
      const { visit, manage } = dashboard
      const owner = `nora-${name}@example.com`
      const { companyId } = await companyWith(`Pier ${name}`, owner, 'owner')
      const visitor = await visit(look)
      await giveAuthenticator(visitor.page)
      await signInByCode(dashboard, visitor, owner)
      await arrive(visitor.page)
      await visitor.open(`/c/${companyId}/settings`)
      const card = visitor.page.getByRole('form', { name: 'Signing in' })
      await card.getByRole('switch', { name: 'Require a passkey from every member' }).click()
      await card.getByRole('button', { name: 'Save' }).click()
      // Somebody without a passkey is led to creating one.
      await visitor.page.getByRole('link', { name: 'Create a passkey on your account page' }).waitFor()
      await visitor.page.keyboard.press('Escape')
      await card.getByRole('button', { name: 'Discard' }).click()
      await makePasskey(visitor, 'This device')
      await visitor.open(`/c/${companyId}/settings`)
      await card.getByRole('switch', { name: 'Require a passkey from every member' }).click()
      await card.getByRole('button', { name: 'Save' }).click()
      await visitor.page.getByText('Members now need a passkey').first().waitFor()
      await takePicture(visitor.page, `sign-in-rules-${name}`)

      const email = `vera-${name}@example.com`
      await manage('POST', `/companies/${companyId}/invitations`, { email, role: 'viewer' })
      const member = await visit(look)
      await giveAuthenticator(member.page)
      await signInByCode(dashboard, member, email)
      await member.page.getByText('This company requires a passkey').waitFor()
      await takePicture(member.page, `passkey-needed-${name}`)
      await member.page.getByRole('button', { name: 'Create a passkey' }).click()
      await arrive(member.page)
      await member.open(`/c/${companyId}/team`)
      await member.page.getByText(owner).first().waitFor()
      assert.deepEqual([...visitor.complaints, ...member.complaints], [])
    })
  }

  it('see who operates the service, and keep one operator', async () => {
    const { visit, signInWithLink } = use()
    const visitor = await visit()
    const { page, open } = visitor
    await signInWithLink(visitor)
    await open('/operator/operators')
    await page.getByRole('table', { name: 'Operators' }).getByText('operator@example.com').waitFor()
    await page.getByRole('button', { name: 'Demote operator@example.com' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Demote', exact: true }).click()
    await question.getByText('This is the last operator').waitFor()
    await page.keyboard.press('Escape')
    await open('/operator/audit')
    await page.getByText('refused: conflict').first().waitFor()
    await takePicture(page, 'audit-refused')
    assert.deepEqual(visitor.complaints, [])
  })
})
