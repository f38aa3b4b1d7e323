/** The page of the README in a real browser, with the packed library, against the service. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { build } from 'esbuild'
import { useBrowser } from '../../../e2e/harness/browser.ts'
import { fencesIn } from '../../../e2e/harness/documents.ts'
import { newPhone } from '../../../e2e/harness/people.ts'
import { useService } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { usePackedWeb } from '../../packed-project.ts'

/** Serves the page, and collects the tokens that its backend gets. */
async function serve(page: string, script: string) {
  const tokens: string[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') tokens.push(await text(request))
    const isScript = request.url === '/main.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? script : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${address.port}`, tokens, close }
}

describe('the page of the README', () => {
  const service = useService()
  const browser = useBrowser()
  const use = usePackedWeb()

  /** Opens the page and starts a verification. */
  async function openPage(t: TestContext, settings: Readonly<Record<string, unknown>> = {}) {
    const fences = fencesIn(await readFile(new URL('../README.md', import.meta.url), 'utf8'))
    const shown = (language: string) => {
      const [only, ...others] = fences.filter((fence) => fence.language === language)
      return only && others.length === 0 ? only.text : assert.fail(`not one ${language}`)
    }
    const { running, createApp, simulator } = service()
    const app = await createApp({ routing: { default: ['sms'] }, ...settings })
    const script = shown('js')
      .replace('otp_pk_…', await app.createKey('publishable'))
      .replace('https://codes.example.com', running.url)
    const project = use()
    await project.write('main.js', script)
    const { outputFiles } = await build({
      entryPoints: [project.path('main.js')],
      bundle: true,
      format: 'esm',
      write: false,
    })
    const site = await serve(shown('html'), outputFiles[0]?.text ?? '')
    t.after(site.close)

    const recipient = newPhone()
    const page = await browser().newPage()
    t.after(() => page.close())
    await page.addInitScript(readsSms)
    await page.goto(site.url)
    await page.getByLabel('Phone number').fill(recipient)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    const code = codeIn((await simulator.arrived(recipient, 'sms')).text)
    const enter = async (typed: string) => {
      await page.getByLabel('Code').fill(typed)
      await page.getByRole('button', { name: 'Check' }).click()
    }
    const gotToken = async () => {
      await page.getByText('Thank you.').waitFor()
      const tokens = await eventually(
        'the token',
        () => site.tokens,
        ({ length }) => length > 0,
      )
      assert.match(tokens.join(), /^otp_vt_\w+$/)
    }
    return { page, code, wrongCode: code === '000000' ? '000001' : '000000', enter, gotToken }
  }

  test('goes from the number over a wrong code to the token, which the backend gets', async (t) => {
    const { page, code, wrongCode, enter, gotToken } = await openPage(t)
    for (const typed of [code.slice(1), wrongCode]) {
      await enter(typed)
      await page.getByText('That is not the code.').waitFor()
    }
    await enter(code)
    await gotToken()
  })

  test('the backend gets the token too where the browser reads the code from the SMS', async (t) => {
    const { page, code, gotToken } = await openPage(t)
    await page.getByLabel('Code').waitFor()
    await page.evaluate(`smsArrived(${JSON.stringify(code)})`)
    await gotToken()
  })

  test('after the last wrong code it offers a new start, and asks for no other code', async (t) => {
    const { page, wrongCode, enter } = await openPage(t, { max_verify_attempts: 1 })
    await enter(wrongCode)
    await page.getByRole('button', { name: 'Send me a code' }).waitFor()
    assert.equal(await page.getByRole('status').innerText(), 'Please start again.')
  })
})

/** Imitates a browser that reads codes (WebOTP), which this one does only on a phone. */
const readsSms = `
  globalThis.OTPCredential = class {}
  navigator.credentials.get = () => new Promise((resolve) => {
    globalThis.smsArrived = (code) => resolve({ code })
  })
`
