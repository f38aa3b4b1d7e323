/** How the page looks on each kind of screen, and that everybody can use it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { newPhone } from '../../../e2e/harness/people.ts'
import { type Example, startExample } from './example.ts'
import { autofill, confirm, enterRecipient, isSignedUp, isTold } from './person.ts'
import { service, stage } from './stage.ts'

const pictures = fileURLToPath(new URL('../../../test-results/sign-up/', import.meta.url))
const axeFile = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))
const widths = { wide: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } } as const
const colorSchemes = ['light', 'dark'] as const

let axe = ''
/** Verification by code, by a message in WhatsApp, and by a code that comes by WhatsApp. */
let examples: Readonly<Record<'code' | 'inbound' | 'link', Example>>

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Checks a step for accessibility on every kind of screen, and takes pictures if PICTURES is set. */
async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme })
    for (const [screen, size] of Object.entries(widths)) {
      await page.setViewportSize(size)
      await takePicture(page, `${name}-${screen}-${colorScheme}`)
      const scrollWidth = await page.evaluate('document.documentElement.scrollWidth')
      assert.equal(scrollWidth, size.width, `${name} scrolls sideways`)
    }
    await assertUsable(page, name, colorScheme)
  }
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES) await page.screenshot({ path: `${pictures}${name}.png`, animations: 'disabled' })
}

async function assertUsable(page: Page, name: string, colorScheme: 'light' | 'dark'): Promise<void> {
  if (await page.evaluate('!globalThis.axe')) await page.evaluate(axe)
  // In the dark scheme only the colours differ.
  const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly: rules })
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(${options})`)
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
    name,
  )
}

export const describeLooks = () =>
  describe('every step can be read and used, on wide screens and phones, light and dark', {
    concurrency: true,
  }, () => {
    before(async () => {
      axe = await readFile(axeFile, 'utf8')
      const open = async (settings: Readonly<Record<string, unknown>>) =>
        startExample(
          stage().project,
          service(),
          await service().createApp({ max_verify_attempts: 2, ...settings }),
        )
      const linked = (mode: string) => ({
        routing: { default: ['whatsapp', 'sms'] },
        channels: { whatsapp: { mode } },
        resend_cooldown_s: 30,
      })
      examples = {
        code: await open({ routing: { default: ['sms'] }, resend_cooldown_s: 30 }),
        inbound: await open(linked('link_inbound')),
        link: await open(linked('link_code')),
      }
    })
    after(() => {
      for (const example of Object.values(examples ?? {})) example.stop()
    })

    test('from the recipient to the account, and where it ends early', async () => {
      const page = await stage().browser.newPage()
      const recipient = newPhone()
      await page.goto(examples.code.url)
      await page.getByRole('heading', { name: 'Create your account' }).waitFor()
      await look(page, '1-recipient')
      await enterRecipient(page, 'ann@nowhere')
      await isTold(page, 'does not look like')
      await look(page, '2-bad-recipient')
      await enterRecipient(page, recipient)
      const code = await autofill(page, service().simulator, recipient, 'sms')
      await look(page, '3-code')
      await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
      await confirm(page)
      await isTold(page, 'one more try')
      await look(page, '4-wrong-code')
      await autofill(page, service().simulator, recipient, 'sms')
      await confirm(page)
      await isSignedUp(page, recipient)
      await look(page, '5-done')

      await page.getByRole('button', { name: 'Sign up somebody else' }).click()
      const another = newPhone()
      await enterRecipient(page, another)
      const right = await autofill(page, service().simulator, another, 'sms')
      await page.getByLabel('Code').fill(right === '000000' ? '000001' : '000000')
      await confirm(page)
      await isTold(page, 'one more try')
      await confirm(page)
      await page.getByRole('heading', { name: 'That did not work' }).waitFor()
      await look(page, '6-over')

      await page.close()
    })

    test('by way of WhatsApp', async () => {
      const page = await stage().browser.newPage()
      await page.goto(examples.inbound.url)
      await enterRecipient(page, newPhone())
      await page.getByRole('heading', { name: 'Confirm in WhatsApp' }).waitFor()
      await look(page, '7-inbound')
      await page.goto(examples.link.url)
      await enterRecipient(page, newPhone())
      await page.getByText('and we answer with the code').waitFor()
      await look(page, '8-link')
      await page.close()
    })
  })
