/** Every page in light and dark, wide and narrow: screenshots for people, and checks that a machine can make. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { codeIn } from '../harness/simulator.ts'
import { findingsOn } from './axe.ts'
import { follow, type Ids, places, untilRead } from './places.ts'
import { type DashboardUnderTest, takePicture, useDashboard, type Visitor } from './support.ts'

const schemes = ['light', 'dark'] as const
/** The phone starts with the dark scheme that is already shown, because changing the scheme is the slowest step. */
const shapes = [
  { name: 'wide', width: 1_280, height: 800, hasTouch: false, order: schemes },
  { name: 'phone', width: 390, height: 844, hasTouch: true, order: schemes.toReversed() },
] as const

const tabsCutOff = `[...document.querySelectorAll('[role="tablist"]')]
  .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).length`

/** Checks a page in every shape and scheme without reloading it. */
async function look(page: Page, session: CDPSession, title: string): Promise<void> {
  for (const { name, hasTouch, order, ...size } of shapes) {
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: hasTouch, maxTouchPoints: 1 })
    await page.setViewportSize(size)
    for (const scheme of order) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.locator(`html[data-theme="${scheme}"]`).waitFor({ state: 'attached' })
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
      assert.ok(Number(overflow) <= 0, `${title} is ${overflow} px too wide (${name})`)
      // Tabs that are even a pixel too tall for their list are cut off.
      assert.equal(await page.evaluate(tabsCutOff), 0, `${title}, ${name}`)
      assert.deepEqual(await findingsOn(page, scheme), [], `${title}, ${name}, ${scheme}`)
      await takePicture(page, `${title}-${name}-${scheme}`)
    }
  }
}

/** What would be pressed again and again by a held Enter: the browser asks the page before each repeat. */
const pressedAgain = `[...document.querySelectorAll('button, input, a, [role="button"], [role="menuitem"]')]
  .filter((one) => one.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', repeat: true, bubbles: true, cancelable: true })))
  .map((one) => one.outerHTML.slice(0, 80))`

const rules = [
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
]

const attacked = 30

/** Makes something to see on every page. Returns the id of the last verification. */
async function makeThings({ service, manage }: DashboardUnderTest): Promise<string> {
  const { app_id, company_id, server_key } = service.running.firstApp
  const call = (path: string, body: unknown) =>
    service.caller.call<{ otp_id: string }>('POST', `/api/v1/otp/${path}`, { key: server_key, body })
  await manage('PUT', `/apps/${app_id}/webhook`, { url: 'http://127.0.0.1:9/events' })
  await manage('PATCH', `/apps/${app_id}`, {
    routing: { countries: { BR: ['whatsapp', 'sms'] }, accounts: 'learned' },
  })
  await manage('POST', `/companies/${company_id}/invitations`, { email: 'new@example.com', role: 'viewer' })
  await manage('PUT', `/apps/${app_id}/rules`, { revision: 0, rules })
  let otpId = ''
  for (const [index, recipient] of ['+447400555101', '+4915123456789', 'ada@example.com'].entries()) {
    const { otp_id } = (await call('send', { recipient })).body
    otpId = otp_id
    const channel = recipient.includes('@') ? 'email' : 'sms'
    const { text } = await service.simulator.arrived(recipient, channel)
    await call('verify', { otp_id, code: '000000' })
    // It is still in its cooldown, so this is refused.
    await call('resend', { otp_id })
    if (index !== 1) await call('verify', { otp_id, code: codeIn(text) })
  }
  await manage('PATCH', `/apps/${app_id}`, { geo: { mode: 'block', countries: ['FR'] } })
  for (const recipient of ['+33612345678', '+33612345679', 'nobody']) await call('send', { recipient })
  // Enough for the guard to notice; it holds nothing back because the simulator carries the messages.
  for (let index = 0; index < attacked; index++) {
    const recipient = `+9945031${String((index * 1_037) % 100_000).padStart(5, '0')}`
    await call('send', { recipient, client_ip: `86.10.${index}.7` })
  }
  return otpId
}

describe('every page of the dashboard', () => {
  const use = useDashboard()
  let ids: Ids
  let visitor: Visitor
  let session: CDPSession

  before(async () => {
    ids = { ...use().service.running.firstApp, otp_id: await makeThings(use()) }
    visitor = await use().visit()
    session = await visitor.page.context().newCDPSession(visitor.page)
  })

  it('sign-in has nothing that hinders anybody, fits, and complains of nothing, wide and on a phone, light and dark', async () => {
    const { page, open } = visitor
    await open('/sign-in')
    await page.getByRole('button', { name: 'Send a code' }).waitFor()
    await look(page, session, 'sign-in')
    assert.deepEqual(visitor.complaints, [])
  })

  describe('to a person who has signed in', () => {
    before(async () => {
      await use().signInWithLink(visitor)
      // A page that is not the first in the list.
      await follow(visitor.page, '/account')
    })
    /** A signed-in visitor on whose page nothing was loaded before. */
    const visitSignedIn = async () => {
      const another = await use().visit()
      await another.page.context().addCookies(await visitor.page.context().cookies())
      return another
    }

    for (const [title, path] of places) {
      it(`${title} has nothing that hinders anybody, fits, and complains of nothing, wide and on a phone, light and dark`, async () => {
        const { page } = visitor
        await follow(page, path(ids))
        await untilRead(page, title)
        await look(page, session, title)
        assert.deepEqual(visitor.complaints, [])
      })
    }

    it('is also reached by its address alone, takes a held Enter as one press, and complains of nothing', async () => {
      const { page, open, complaints } = await visitSignedIn()
      for (const [title, path] of places) {
        await open(path(ids))
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
        await untilRead(page, title)
        assert.deepEqual(await page.evaluate(pressedAgain), [], title)
        assert.deepEqual(complaints, [], title)
      }
    })

    it('needs less than 300 KB of script to show the first one', async () => {
      const { page, open } = await visitSignedIn()
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

    it('finds a person by a number as people write it, which never stands in the address', async () => {
      const { page, open } = await visitSignedIn()
      await open('/')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill('+44 7400 555101')
      await page.getByRole('option', { name: /^Find \+44 7400 555101 in all apps/, selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('table', { name: 'Verifications' }).getByText('+44****01').waitFor()
      await page.getByRole('table', { name: 'Refusals' }).getByText('Cooldown').last().waitFor()
      assert.ok(!page.url().includes('555101'), page.url())
      await takePicture(page, 'company-search-found')
    })

    it('is reached from the keyboard: the palette, and two keys in a row', async () => {
      const { page, open } = await visitSignedIn()
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
})
