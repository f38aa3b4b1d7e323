/** Every page, in light and dark, wide and narrow: a picture to look at, and what a machine can say of it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { codeIn } from '../harness/simulator.ts'
import { eventually } from '../harness/wait.ts'
import { takePicture, useDashboard, type Visitor } from './support.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Serious and critical ones. axe's own script comes past the page's policy, as a debugger would. */
async function findingsOn(page: Page, scheme: Scheme): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe)
  // In the dark a page has the same words and parts, and other colours.
  const options = scheme === 'light' ? {} : { runOnly: ['color-contrast', 'link-in-text-block'] }
  const run = `axe.run(${JSON.stringify({ ...options, resultTypes: ['violations'] })})`
  const found = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]
const looks = [
  { name: 'wide', width: 1_280 },
  { name: 'phone', width: 390, height: 844, hasTouch: true },
] as const

/** In both schemes, without loading it anew: the page follows the system's. */
async function look(page: Page, title: string, name: string): Promise<void> {
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.locator(`html[data-theme="${scheme}"]`).waitFor({ state: 'attached' })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    assert.ok(Number(overflow) <= 0, `${title} is ${overflow} px too wide`)
    assert.deepEqual(await findingsOn(page, scheme), [], `${title}, ${scheme}`)
    await takePicture(page, `${title}-${name}-${scheme}`)
  }
}

describe('every page of the dashboard', { timeout: 600_000 }, () => {
  const use = useDashboard()
  let paths: [name: string, path: string][] = []

  before(async () => {
    const { service, manage } = use()
    const { app_id, company_id, server_key } = service.running.firstApp
    const call = (path: string, body: unknown) =>
      service.caller.call<{ otp_id: string }>('POST', `/api/v1/otp/${path}`, { key: server_key, body })
    await manage('PUT', `/apps/${app_id}/webhook`, { url: 'http://127.0.0.1:9/events' })
    await manage('PATCH', `/apps/${app_id}`, { routing: { countries: { BR: ['whatsapp', 'sms'] } } })
    await manage('POST', `/companies/${company_id}/invitations`, { email: 'new@example.com', role: 'viewer' })
    await manage('PUT', `/apps/${app_id}/rules`, {
      revision: 0,
      rules: [
        {
          name: 'Strangers from tunnels',
          mode: 'shadow',
          when: { ip_class: ['vpn', 'proxy', 'tor', 'hosting'], known: false, recipient_type: ['phone'] },
          then: { action: 'hold', minutes: 10 },
        },
        {
          name: 'Our own people',
          mode: 'on',
          when: { email_domain: ['example.com'] },
          then: { action: 'pass' },
        },
      ],
    })
    let otpId = ''
    for (const [index, recipient] of ['+447400555101', '+4915123456789', 'ada@example.com'].entries()) {
      const { otp_id } = (await call('send', { recipient })).body
      otpId = otp_id
      const channel = recipient.includes('@') ? 'email' : 'sms'
      const { text } = await service.simulator.arrived(recipient, channel)
      await call('verify', { otp_id, code: '000000' })
      if (index !== 1) await call('verify', { otp_id, code: codeIn(text) })
    }
    const ofApp = (page: string) => [page.split('/')[0] ?? page, `/a/${app_id}/${page}`] as [string, string]
    const ofCompany = (page: string) => [`company-${page}`, `/c/${company_id}/${page}`] as [string, string]
    const ofOperator = (page: string) => [`operator-${page}`, `/operator/${page}`] as [string, string]
    paths = [
      ...[
        'overview',
        'start',
        'verifications',
        'keys',
        'events',
        'routing',
        'channels',
        'guard',
        'settings',
      ].map(ofApp),
      ['rules', `/a/${app_id}/guard?tab=rules`],
      ['verification', `/a/${app_id}/verifications/${otpId}`],
      ...['apps', 'billing', 'team', 'audit', 'settings'].map(ofCompany),
      ...['companies', 'providers', 'prices', 'operators', 'audit'].map(ofOperator),
      ['account', '/account'],
      ['not-found', '/a/app_nothing/overview'],
    ]
  })

  // One session for all looks: the printed link opens once.
  let state: Awaited<ReturnType<ReturnType<Visitor['page']['context']>['storageState']>> | undefined

  for (const { name, ...shape } of looks) {
    it(`has nothing that hinders anybody, fits, and complains of nothing, light and dark (${name})`, async () => {
      const { visit, signInWithLink } = use()
      const visitor = await visit(shape)
      const { page, open } = visitor
      await open('/sign-in')
      await page.getByRole('button', { name: 'Send a code' }).waitFor()
      await look(page, 'sign-in', name)
      if (state) await page.context().addCookies(state.cookies)
      else await signInWithLink(visitor)
      for (const [title, path] of paths) {
        await open(path)
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
        // What still pulses has not been read yet.
        await eventually(
          `${title} is read`,
          () => page.locator('main .animate-pulse').count(),
          (count) => count === 0,
        )
        await look(page, title, name)
      }
      state = await page.context().storageState()
      assert.deepEqual(visitor.complaints, [])
    })
  }

  it('needs less than 300 KB of script to show the first one', async () => {
    const { visit } = use()
    const { page, open } = await visit()
    assert.ok(state)
    await page.context().addCookies(state.cookies)
    const sizes: Promise<number>[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') {
        sizes.push(
          response
            .request()
            .sizes()
            .then(({ responseBodySize }) => responseBodySize),
        )
      }
    })
    await open('/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.waitForLoadState('networkidle')
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    assert.ok(sizes.length > 0)
    assert.ok(bytes > 10_000 && bytes < 300_000, `${bytes} bytes`)
  })

  it('is reached from the keyboard: the palette, and two keys in a row', async () => {
    const { visit } = use()
    const { page, open } = await visit()
    assert.ok(state)
    await page.context().addCookies(state.cookies)
    await open('/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('billing')
    await page.getByRole('option', { name: 'Billing', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Billing' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('v')
    await page.getByRole('heading', { name: 'Verifications' }).waitFor()
  })
})
