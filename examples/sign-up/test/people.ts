/** People sign up on the page of the example, in a real browser, with the simulator's phones in hand. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { newPhone, newRecipient } from '../../../e2e/harness/people.ts'
import { channels } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { type Example, startExample } from './example.ts'
import { autofill, confirm, enterRecipient, isSentBy, isSignedUp, isTold } from './person.ts'
import { service, stage } from './stage.ts'

/** A backend for an app with these settings; it ends with the test. */
async function openExample(t: TestContext, settings: Readonly<Record<string, unknown>>): Promise<Example> {
  const example = await startExample(stage().project, service(), await service().createApp(settings))
  t.after(example.stop)
  return example
}

/** Opens the page of that backend, and asserts at the end that the console has no errors. */
async function openPage(t: TestContext, example: Example): Promise<Page> {
  const page = await stage().browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A refused call is in the console, however the page handles it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  t.after(async () => {
    await page.close()
    assert.deepEqual(complaints, [])
  })
  await page.goto(`${example.url}/`)
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  return page
}

const other = (code: string) => (code === '000000' ? '000001' : '000000')

const hears = (example: Example, line: RegExp) =>
  eventually('the backend hears of it', () => line.test(example.printed()), Boolean)

/** Recorded in the page, because a test on a busy machine would look too rarely. */
const noteWhatTheResendSays = `
  globalThis.said = []
  const button = document.querySelector('[data-action=resend]')
  new MutationObserver(() => said.push(button.textContent)).observe(button, { childList: true })
`

export const describePeople = () =>
  describe('signing up', { concurrency: 4 }, () => {
    test('a code that is not used in time has expired, and the page says so by itself', async (t) => {
      const example = await openExample(t, { code_ttl_s: 60, routing: { default: ['sms'] } })
      const page = await openPage(t, example)
      const recipient = newPhone()
      await enterRecipient(page, recipient)
      await autofill(page, service().simulator, recipient, 'sms')
      const heading = page.getByRole('heading', { name: 'That code has expired' })
      await heading.waitFor({ timeout: 90_000 })
      await page.getByRole('button', { name: 'Start again' }).click()
      await enterRecipient(page, recipient)
      await autofill(page, service().simulator, recipient, 'sms', 2)
      await confirm(page)
      await isSignedUp(page, recipient)
    })

    for (const channel of channels) {
      test(`${channel}: a wrong code is said, the right one makes the account, and a webhook tells the backend`, async (t) => {
        const example = await openExample(t, { routing: { default: [channel] } })
        const page = await openPage(t, example)
        const recipient = newRecipient(channel)
        await enterRecipient(page, recipient)
        const words = { sms: 'by SMS', whatsapp: 'on WhatsApp', telegram: 'on Telegram', email: 'by email' }
        await isSentBy(page, words[channel])
        const code = await autofill(page, service().simulator, recipient, channel)
        await page.getByLabel('Code').fill(other(code))
        await confirm(page)
        await isTold(page, 'That is not the code')
        assert.equal(await page.getByLabel('Code').getAttribute('aria-invalid'), 'true')
        // The wrong code is selected, so the person can type over it.
        await page.keyboard.type(`${code.slice(0, 3)} ${code.slice(3)}`)
        await page.keyboard.press('Enter')
        await isSignedUp(page, recipient)
        await hears(example, /webhook: otp\.approved otp_/)
        assert.match(example.printed(), /signed up: 1 so far/)
      })
    }

    // One after the other: all pages of a browser share its clipboard.
    describe("through WhatsApp on the simulator's phone", { concurrency: 1 }, () => {
      for (const mode of ['link_code', 'link_inbound'] as const) {
        test(`${mode}: the link that was copied is pasted there, and the account is made`, async (t) => {
          const example = await openExample(t, {
            routing: { default: ['whatsapp', 'sms'] },
            channels: { whatsapp: { mode } },
          })
          const page = await openPage(t, example)
          await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
          const recipient = newPhone()
          await enterRecipient(page, recipient)
          const popup = page.waitForEvent('popup')
          await page.getByRole('button', { name: 'Open WhatsApp' }).click()
          const phone = await popup
          const link = await page.evaluate<string>('navigator.clipboard.readText()')
          assert.match(link, /^https:\/\/wa\.me\/\d+\?text=/)
          await phone.getByLabel('Tap a WhatsApp link').fill(link)
          await phone.locator('#link-tool').getByRole('button', { name: 'Send' }).click()
          if (mode === 'link_code') {
            await autofill(page, service().simulator, recipient, 'whatsapp')
            await confirm(page)
          }
          await isSignedUp(page, recipient)
          await hears(example, /webhook: otp\.approved otp_/)
        })
      }
    })

    test('from a WhatsApp link to a code by SMS', async (t) => {
      const example = await openExample(t, {
        routing: { default: ['whatsapp', 'sms'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
      })
      const page = await openPage(t, example)
      const recipient = newPhone()
      await enterRecipient(page, recipient)
      await page.getByRole('button', { name: 'Get a code by SMS' }).click()
      await isSentBy(page, 'by SMS')
      await autofill(page, service().simulator, recipient, 'sms')
      await confirm(page)
      await isSignedUp(page, recipient)
    })

    test('a resend is counted down to, and goes to the next channel', async (t) => {
      const example = await openExample(t, {
        resend_cooldown_s: 9,
        routing: { default: ['sms', 'telegram'] },
      })
      const page = await openPage(t, example)
      await page.evaluate(noteWhatTheResendSays)
      const recipient = newPhone()
      await enterRecipient(page, recipient)
      const again = page.getByRole('button', { name: 'Send again', exact: true })
      await again.waitFor()
      const said = await page.evaluate<string[]>('said')
      const seconds = said.flatMap((text) => /^Send again in (\d) s$/.exec(text)?.[1] ?? [])
      assert.ok(seconds.length >= 2, said.join())
      assert.deepEqual(seconds, seconds.toSorted().reverse())
      await again.click()
      await isSentBy(page, 'on Telegram')
      await autofill(page, service().simulator, recipient, 'telegram')
      await confirm(page)
      await isSignedUp(page, recipient)
    })

    test('a device whose clock is wrong counts the same seconds', async (t) => {
      const example = await openExample(t, { resend_cooldown_s: 60, routing: { default: ['sms'] } })
      for (const offMs of [-3_600_000, 3_600_000]) {
        const page = await openPage(t, example)
        await page.addInitScript(`{ const now = Date.now; Date.now = () => now() + ${offMs} }`)
        await page.reload()
        await enterRecipient(page, newPhone())
        const button = page.getByRole('button', { name: /^Send again in/ })
        const [, seconds] = /in (\d+) s/.exec(await button.innerText()) ?? []
        assert.ok(Number(seconds) > 30 && Number(seconds) <= 61, seconds)
        assert.equal(await page.getByRole('heading', { name: 'Enter your code' }).isVisible(), true)
      }
    })

    /** The calls are served, but the first `count` answers are lost. */
    async function loseAnswers(page: Page, path: string, count: number): Promise<unknown[]> {
      const served: unknown[] = []
      await page.route(`**${path}`, async (route) => {
        const response = await route.fetch()
        served.push(await response.json())
        if (served.length <= count) await route.abort('connectionreset')
        else await route.fulfill({ response })
      })
      return served
    }

    test('a lost answer to a right code is asked for again, and the same token comes', async (t) => {
      const example = await openExample(t, { routing: { default: ['sms'] } })
      const page = await openPage(t, example)
      const recipient = newPhone()
      await enterRecipient(page, recipient)
      await autofill(page, service().simulator, recipient, 'sms')
      const served = await loseAnswers(page, '/api/v1/otp/verify', 1)
      await confirm(page)
      await isSignedUp(page, recipient)
      const [lost, retried] = served as { verification_token: string }[]
      assert.match(lost?.verification_token ?? '', /^otp_vt_/)
      assert.deepEqual(retried, lost)
      assert.equal(served.length, 2)
    })

    test('after a lost answer to the start the person presses again, and one message goes out', async (t) => {
      const example = await openExample(t, { routing: { default: ['sms'] } })
      const page = await openPage(t, example)
      const recipient = newPhone()
      const served = await loseAnswers(page, '/start', 1)
      await enterRecipient(page, recipient)
      await isTold(page, 'We cannot be reached')
      await enterRecipient(page, recipient)
      await autofill(page, service().simulator, recipient, 'sms')
      assert.deepEqual(served[1], served[0])
      assert.equal((await service().simulator.messages(recipient)).length, 1)
      await confirm(page)
      await isSignedUp(page, recipient)
    })

    test('after a lost answer to the sign-up the token is exchanged again', async (t) => {
      const example = await openExample(t, { routing: { default: ['sms'] } })
      const page = await openPage(t, example)
      const recipient = newPhone()
      await enterRecipient(page, recipient)
      await autofill(page, service().simulator, recipient, 'sms')
      const served = await loseAnswers(page, '/sign-up', 1)
      await confirm(page)
      await isSignedUp(page, recipient)
      assert.deepEqual(served, [{ recipient }, { recipient }])
    })

    test('without a network the page says so, and goes on when it is back', async (t) => {
      const example = await openExample(t, { routing: { default: ['sms'] } })
      const page = await openPage(t, example)
      const recipient = newPhone()
      await enterRecipient(page, recipient)
      await autofill(page, service().simulator, recipient, 'sms')
      await page.context().setOffline(true)
      await confirm(page)
      await isTold(page, 'We cannot be reached')
      await page.context().setOffline(false)
      await confirm(page)
      await isSignedUp(page, recipient)
    })
  })
