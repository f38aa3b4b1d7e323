/** The browser that the other tests use. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openBrowser } from './harness/browser.ts'
import { chromiumFromNpm, findChromium, type Program } from './harness/chromium.ts'

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>A page</h1>')
})
let url = ''

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const programs: Readonly<Record<string, () => Promise<Program>>> = {
  'the Chromium that is found': () => findChromium(),
  'the Chromium of npm, where none is installed': () => findChromium({ PATH: '' }),
}
for (const [name, find] of Object.entries(programs)) {
  test(`${name} shows pages as wide, as dark and as touchable as asked, each for itself`, async () => {
    const browser = await openBrowser(await find())
    try {
      const wide = await browser.newPage()
      const phone = await browser.newPage({ width: 360, height: 640, colorScheme: 'dark', hasTouch: true })
      const looks = `[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches,
        navigator.maxTouchPoints > 0, document.querySelector('h1').textContent, 'seen' in localStorage]`
      for (const page of [wide, phone]) await page.goto(url)
      await wide.evaluate('localStorage.seen = 1')
      assert.deepEqual(await wide.evaluate(looks), [1_280, false, false, 'A page', true])
      // A page without a viewport tag gets the desktop width on a phone.
      assert.deepEqual(await phone.evaluate(looks), [980, true, true, 'A page', false])
      assert.equal((await phone.screenshot()).subarray(1, 4).toString(), 'PNG')
    } finally {
      await browser.close()
    }
    await assert.rejects(browser.newPage())
  })
}

test('parallel runs unpack the Chromium of npm into one place, and nobody starts half of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-chromium-'))
  try {
    const opened = [1, 2].map(async () => openBrowser(await chromiumFromNpm({}, folder)))
    for (const browser of await Promise.all(opened)) await browser.close()
    assert.equal((await readdir(folder)).length, 1)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
