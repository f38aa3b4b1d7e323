/** The page of the README in a real browser, with the packed library, against the service. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { build } from 'esbuild'
import { useBrowser } from '../../../e2e/harness/browser.ts'
import { fencesIn } from '../../../e2e/harness/documents.ts'
import { newPhone } from '../../../e2e/harness/people.ts'
import { useService } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { installPacked } from '../../packed-project.ts'

/** What its backend is sent. */
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

  test('goes from the number over a wrong code to the token, which the backend gets', async (t) => {
    const fences = fencesIn(await readFile(new URL('../README.md', import.meta.url), 'utf8'))
    const shown = (language: string) => {
      const [only, ...others] = fences.filter((fence) => fence.language === language)
      return only && others.length === 0 ? only.text : assert.fail(`not one ${language}`)
    }
    const { running, createApp, simulator } = service()
    const app = await createApp({ routing: { default: ['sms'] } })
    const script = shown('js')
      .replace('otp_pk_…', await app.createKey('publishable'))
      .replace('https://codes.example.com', running.url)
    const project = await installPacked('web')
    t.after(project.remove)
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
    await page.goto(site.url)
    await page.getByLabel('Phone number').fill(recipient)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    const code = codeIn((await simulator.arrived(recipient, 'sms')).text)
    await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('That is not the code.').waitFor()
    await page.getByLabel('Code').fill(code)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('Thank you.').waitFor()
    const [token] = await eventually(
      'the token',
      () => site.tokens,
      ({ length }) => length > 0,
    )
    assert.match(token ?? '', /^otp_vt_/)
  })
})
