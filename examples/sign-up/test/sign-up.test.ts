/** A person signs up on the page of the example, in a real browser, with the simulator's phones in hand. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newEmail, newPhone } from '../../../e2e/harness/people.ts'
import { holdPort } from '../../../e2e/harness/process.ts'
import { useService } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { type Browser, findBrowser, type Page, startBrowser } from './browser.ts'

const service = useService()
const program = findBrowser()
const noBrowser = program === undefined && 'no Chromium is installed'

let example: { url: string; printed: () => string; child: ChildProcess }
let browser: Browser | undefined

async function startExample() {
  const { running } = service()
  const { port, release } = await holdPort()
  await release()
  const server = fileURLToPath(new URL('../server.mjs', import.meta.url))
  const child = spawn(process.execPath, [server], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      EXAMPLE_PORT: String(port),
      COUNTERSIGN_URL: running.url,
      PHONES_URL: running.simulatorUrl,
      DATA_DIR: running.dataDir,
    },
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await eventually('the example is up', () => printed.includes('Ctrl-C stops it.'), Boolean)
  return { url: `http://127.0.0.1:${port}`, printed: () => printed, child }
}

async function changeFirstApp(settings: Record<string, unknown>): Promise<void> {
  const { caller, running } = service()
  const path = `/manage/v1/apps/${running.firstApp.app_id}`
  const { status } = await caller.call('PATCH', path, { key: running.adminToken, body: settings })
  assert.equal(status, 200)
}

async function onPage(work: (page: Page) => Promise<void>): Promise<void> {
  assert.ok(browser)
  const page = await browser.newPage()
  await page.look({})
  await page.open(`${example.url}/`)
  await page.until('document.querySelector("[data-link=phones]").href.includes("127.0.0.1")')
  await work(page)
  assert.deepEqual(page.complaints, [])
  await page.close()
}

const step = (name: string) => `!document.querySelector('[data-step=${name}]').hidden`
const account = 'document.querySelector("[data-text=recipient]").textContent'
const problem = (name: string) => `document.querySelector('[data-step=${name}] .problem').textContent`

describe('the example', () => {
  before(async () => {
    example = await startExample()
    if (program !== undefined) browser = await startBrowser(program)
  })
  after(async () => {
    await browser?.close()
    example?.child.kill('SIGTERM')
  })

  describe('signing up in a browser', { skip: noBrowser }, () => {
    test('by phone: a mistyped code is said, the right one opens the account, and the backend hears of it', () =>
      onPage(async (page) => {
        const recipient = newPhone()
        await page.picture('recipient-light')
        await page.look({ isDark: true })
        await page.picture('recipient-dark')
        await page.look({ width: 360 })
        await page.picture('recipient-phone')
        // As people write it.
        await page.type(
          '#recipient',
          `${recipient.slice(0, 3)} (${recipient.slice(3, 7)}) ${recipient.slice(7)}`,
        )
        await page.press('Enter')
        await page.until(step('code'))
        await page.until('document.activeElement.id === "code"')
        const masked = `${recipient.slice(0, 3)}****${recipient.slice(-2)}`
        assert.match(
          await page.read('document.querySelector("[data-step=code] .lead").innerText'),
          new RegExp(`${masked.replace(/[+*]/g, '\\$&')} by SMS`),
        )
        await page.until(
          '/Send again in \\d+ s/.test(document.querySelector("[data-action=resend]").textContent)',
        )
        await page.picture('code-phone')

        const code = codeIn((await service().simulator.arrived(recipient, 'sms')).text)
        await page.type('#code', code === '000000' ? '000001' : '000000')
        await page.press('Enter')
        await page.until(`${problem('code')} !== ''`)
        assert.match(await page.read(problem('code')), /not the code/)
        assert.equal(await page.read('document.querySelector("#code").ariaInvalid'), 'true')
        await page.look({ width: 360, isDark: true })
        await page.picture('wrong-code-phone-dark')

        await page.type('#code', `${code.slice(0, 3)} ${code.slice(3)}`)
        await page.press('Enter')
        await page.until(step('done'))
        assert.equal(await page.read(account), recipient)
        await page.picture('done-phone-dark')
        await page.look({})
        await page.picture('done-light')
        await eventually('the webhook', () => example.printed().includes('webhook: otp.approved'), Boolean)
      }))

    test('by email, after an address that cannot be one', () =>
      onPage(async (page) => {
        const recipient = newEmail()
        await page.type('#recipient', 'ann@nowhere')
        await page.press('Enter')
        await page.until(`${problem('recipient')} !== ''`)
        assert.match(await page.read(problem('recipient')), /does not look like/)
        await page.picture('bad-recipient-light')
        page.complaints.length = 0
        await page.type('#recipient', recipient)
        await page.press('Enter')
        await page.until(step('code'))
        const code = codeIn((await service().simulator.arrived(recipient, 'email')).text)
        await page.type('#code', code)
        await page.click('[data-step=code] .primary')
        await page.until(step('done'))
        assert.equal(await page.read(account), recipient)
      }))

    for (const mode of ['link_code', 'link_inbound'] as const) {
      test(`by WhatsApp, ${mode}`, async () => {
        await changeFirstApp({
          routing: { default: ['whatsapp', 'sms', 'email'] },
          channels: { whatsapp: { mode } },
        })
        await onPage(async (page) => {
          const recipient = newPhone()
          await page.read(
            'window.open = (url) => { window.opened = url }, navigator.clipboard.writeText = (url) => { window.copied = url }',
          )
          await page.type('#recipient', recipient)
          await page.press('Enter')
          const name = mode === 'link_code' ? 'code' : 'inbound'
          await page.until(step(name))
          await page.picture(`${mode}-light`)
          await page.click(`[data-step=${name}] [data-action=whatsapp]`)
          const { pathname, searchParams } = new URL(await page.read<string>('window.copied'))
          assert.equal(await page.read('window.opened'), `${service().running.simulatorUrl}/#${recipient}`)
          await service().simulator.write(recipient, `+${pathname.slice(1)}`, searchParams.get('text') ?? '')
          if (mode === 'link_code') {
            const code = codeIn((await service().simulator.arrived(recipient, 'whatsapp')).text)
            await page.type('#code', code)
            await page.press('Enter')
          }
          await page.until(step('done'))
          assert.equal(await page.read(account), recipient)
        })
        await changeFirstApp({ routing: null, channels: null })
      })
    }

    test('off the link and on to SMS', async () => {
      await changeFirstApp({
        routing: { default: ['whatsapp', 'sms'] },
        channels: { whatsapp: { mode: 'link_inbound' } },
        resend_cooldown_s: 0,
      })
      await onPage(async (page) => {
        const recipient = newPhone()
        await page.type('#recipient', recipient)
        await page.press('Enter')
        await page.until(step('inbound'))
        await page.click('[data-action=sms]')
        await page.until(step('code'))
        await page.type('#code', codeIn((await service().simulator.arrived(recipient, 'sms')).text))
        await page.press('Enter')
        await page.until(step('done'))
      })
      await changeFirstApp({ routing: null, channels: null, resend_cooldown_s: null })
    })
  })

  describe('the backend believes nobody', () => {
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${example.url}${path}`, {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })

    test('without a session, with a made-up token, or before the approval there is no account', async () => {
      assert.equal((await post('/sign-up', {})).status, 401)
      const started = await post('/start', { recipient: newPhone(), formId: newEmail(), locale: 'en' })
      assert.equal(started.status, 200)
      const cookie = String(started.headers.get('set-cookie')).split(';')[0] ?? ''
      assert.equal((await post('/sign-up', {}, { cookie })).status, 409)
      assert.equal((await post('/sign-up', { verificationToken: 'otp_vt_made_up' }, { cookie })).status, 404)
      assert.equal((await post('/sign-up', 'nonsense', { cookie })).status, 400)
    })

    test('a webhook that the service did not sign is refused', async () => {
      const forged = { id: 'evt_1', type: 'otp.approved', payload: { otp_id: 'otp_1', status: 'approved' } }
      assert.equal((await post('/webhooks', forged)).status, 400)
      const headers = {
        'x-webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'x-webhook-signature': 'a'.repeat(64),
      }
      assert.equal((await post('/webhooks', forged, headers)).status, 400)
    })
  })
})
