/** A person of the company on the API Keys page of the dashboard. */
import type { Page } from 'playwright-core'
import { arrive, signInByCode } from '../dashboard/support.ts'
import { eventually } from '../harness/wait.ts'
import type { App } from './app.ts'
import type { Instance } from './instance.ts'
import { newEmail } from './people.ts'

export async function enterKeysScreen(instance: Instance, app: App, page: Page): Promise<Page> {
  const email = newEmail()
  await app.manage('POST', `/companies/${app.companyId}/invitations`, { email, role: 'developer' })
  const open = async (path: string) => void (await page.goto(`${instance.url}/dashboard${path}`))
  await signInByCode({ service: instance }, { page, open }, email)
  await arrive(page)
  await open(`/a/${app.appId}/keys`)
  await page.getByRole('heading', { name: 'API Keys', level: 1 }).waitFor({ state: 'attached' })
  return page
}

/** Sets the endpoint's address, and returns the secret that is then shown. */
export async function setEndpoint(page: Page, url: string): Promise<string> {
  await page.getByRole('button', { name: 'Add an endpoint' }).click()
  await page.getByLabel('Address').fill(url)
  await page.getByRole('button', { name: 'Add the endpoint' }).click()
  return eventually(
    'the secret is shown',
    async () => /whsec_[\w+/=]+/.exec(await page.getByRole('dialog').innerHTML())?.[0] ?? '',
    (secret) => secret !== '',
  )
}
