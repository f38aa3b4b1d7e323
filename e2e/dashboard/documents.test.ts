/** The pages of `/docs` in a real browser: in light and dark, on a phone, searched by keyboard, tried with a key. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { findingsOn } from './axe.ts'
import { takePicture, useDashboard, type Visitor } from './support.ts'

describe('the documents in a browser', () => {
  const use = useDashboard()
  let reader: Visitor
  const addressOf = (path: string) => `http://localhost:${use().service.running.ports.http}${path}`

  before(async () => {
    reader = await use().visit()
  })

  it('read well in light and dark: nothing that tools find wrong, and nothing that the policy blocks', async () => {
    const { page, complaints } = reader
    for (const path of ['/docs', '/docs/recipes/link-modes', '/docs/reference/verification']) {
      await page.goto(addressOf(path))
      assert.deepEqual(await findingsOn(page, 'light'), [], path)
      await page.getByRole('button', { name: 'Light or dark' }).click()
      assert.deepEqual(await findingsOn(page, 'dark'), [], path)
      await page.getByRole('button', { name: 'Light or dark' }).click()
    }
    assert.deepEqual(complaints, [])
  })

  it('are searched by keyboard, from anywhere', async () => {
    const { page, complaints } = reader
    await page.goto(addressOf('/docs/guide'))
    await page.keyboard.press('/')
    await page.getByRole('searchbox', { name: 'Search' }).fill('cooldown error')
    const found = page
      .getByRole('dialog')
      .getByRole('link', { name: /ResendCooldownError/ })
      .first()
    await found.waitFor()
    await page.keyboard.press('ArrowDown')
    assert.match((await page.evaluate('document.activeElement.textContent')) as string, /ResendCooldownError/)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/errors#resendcooldownerror$/)
    assert.deepEqual(complaints, [])
  })

  it('leave the keys to an input method that composes, and so does the page of the simulator', async () => {
    const { page } = await use().visit()
    /** Safari tells only by the old code that Enter belonged to the input method. */
    const pressWhileComposing = async (selector: string) => {
      for (const key of ['ArrowDown', 'Enter'])
        for (const how of [{ isComposing: true }, { keyCode: 229 }])
          await page.locator(selector).dispatchEvent('keydown', { key, ...how })
    }
    await page.goto(addressOf('/docs/guide'))
    await page.keyboard.press('/')
    await page.getByRole('searchbox', { name: 'Search' }).fill('webhook')
    await page.getByRole('dialog').getByRole('link').first().waitFor()
    await pressWhileComposing('dialog input')
    const isSearching = `document.querySelector('dialog').open && document.activeElement.matches('dialog input')`
    assert.equal(await page.evaluate(isSearching), true)

    await page.goto(`http://localhost:${use().service.running.ports.simulator}/#+447400123456`)
    await page.getByRole('tab', { name: 'WhatsApp' }).click()
    await page.locator('#draft').fill('ni hao')
    await pressWhileComposing('#draft')
    assert.equal(await page.locator('#draft').inputValue(), 'ni hao')
  })

  it('have fields that a phone does not zoom into, and so has the page of the simulator', async () => {
    const { page } = await use().visit({ width: 390, height: 844, hasTouch: true })
    const small = `[...document.querySelectorAll('input:not([type=checkbox]), select, textarea')]
      .map((field) => parseFloat(getComputedStyle(field).fontSize)).filter((size) => size < 16)`
    await page.goto(addressOf('/docs/reference/verification'))
    await page.locator('details.try summary').first().click()
    await page.locator('details.try textarea').first().waitFor()
    assert.deepEqual(await page.evaluate(small), [])
    await page.goto(`http://localhost:${use().service.running.ports.simulator}/#+447400123456`)
    await page.locator('#search').waitFor({ state: 'attached' })
    assert.deepEqual(await page.evaluate(small), [])
  })

  it('fit a phone, whose menu opens and leads on', async () => {
    const { page, complaints } = await use().visit({ width: 390, height: 844, hasTouch: true })
    for (const path of ['/docs', '/docs/api', '/docs/reference/providers']) {
      await page.goto(addressOf(path))
      const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(beyond, 0, path)
    }
    // The description of each operation can be read without scrolling sideways.
    await page.goto(addressOf('/docs/reference'))
    const hidden = `[...document.querySelectorAll('.scroll')].filter((part) => part.scrollWidth > part.clientWidth).length`
    assert.equal(await page.evaluate(hidden), 0)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Errors' }).click()
    await page.waitForURL(/\/docs\/errors$/)
    await takePicture(page, 'documents-phone')
    assert.deepEqual(complaints, [])
  })

  it('are searched with a finger', async () => {
    const { page, complaints } = await use().visit({ width: 360, height: 740, hasTouch: true })
    await page.goto(addressOf('/docs'))
    await page.getByRole('button', { name: 'Search' }).tap()
    await page.getByRole('searchbox', { name: 'Search' }).fill('cooldown error')
    const found = page.getByRole('dialog').getByRole('link', { name: /ResendCooldownError/ })
    await found.first().tap()
    await page.waitForURL(/\/docs\/errors#resendcooldownerror$/)
    assert.equal(await page.getByRole('dialog').isVisible(), false)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    assert.deepEqual(complaints, [])
  })

  it('lose nothing of a program or a table on paper', async () => {
    const { page } = await use().visit({ width: 700, height: 900 })
    await page.emulateMedia({ media: 'print' })
    const lost = `[...document.querySelectorAll('pre, .scroll')].filter((part) => part.scrollWidth > part.clientWidth).length`
    for (const path of ['/docs/guide', '/docs/api', '/docs/operations', '/docs/performance']) {
      await page.goto(addressOf(path))
      assert.equal(await page.evaluate(lost), 0, path)
    }
  })

  it('keep the parts of their bar apart when enlarged four times, and their buttons legible in the system’s colours', async () => {
    const { page } = await use().visit({ width: 320, height: 256 })
    await page.goto(addressOf('/docs'))
    await page.getByRole('button', { name: 'Search' }).waitFor()
    const cut = await page.evaluate(`[...document.querySelectorAll('.bar > *')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent.trim())`)
    assert.deepEqual(cut, [])
    await page.emulateMedia({ forcedColors: 'active' })
    const adjusted = await page.evaluate(
      'getComputedStyle(document.querySelector(".call")).forcedColorAdjust',
    )
    assert.equal(adjusted, 'none')
  })

  it('try a call with a key of the app, and show what came back and the same as a command', async () => {
    const { page, complaints } = reader
    await page.goto(addressOf('/docs/reference/verification'))
    const send = page.locator('#send')
    await send.getByText('Try it').click()
    await send.getByLabel('Server key or publishable key').fill(use().service.running.firstApp.server_key)
    await send.getByLabel('Body').fill('{"recipient": "+447400555333"}')
    await send.getByRole('button', { name: 'Send' }).click()
    const answer = send.getByRole('status').getByText('"status": "pending"')
    await answer.waitFor()
    const text = (await send.textContent()) ?? ''
    assert.match(text, /200 OK/)
    assert.match(text, /curl -X POST '.*\/api\/v1\/otp\/send'/)
    assert.ok(!text.includes(use().service.running.firstApp.server_key), 'the command shows no key')
    await takePicture(page, 'documents-try')
    assert.deepEqual(complaints, [])
  })
})
