/** The input for a code, in a real browser: by hand, by paste, by autofill, and with a screen reader. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { findingsOn } from '../../../e2e/dashboard/axe.ts'
import { newPhone } from '../../../e2e/harness/people.ts'
import { useService as startService } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { useStage as openStage } from './stage.ts'

const service = startService()
const stage = openStage()

const inputOf = (page: Page, name = 'Code') => page.getByRole('textbox', { name })
const told = (page: Page) => page.evaluate<string[]>('told')
const paste = (page: Page, text: string, name = 'Code') =>
  inputOf(page, name).evaluate((input, written) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', written)
    const isTaken = !input.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    )
    return isTaken
  }, text)

describe('an input for a code', { concurrency: 3 }, () => {
  test('takes digits only, tells them, and tells once that they are all there', async () => {
    const { page, complaints } = await stage().open({ show: 'inputs' })
    const input = inputOf(page)
    await page.getByRole('button', { name: 'Focus' }).click()
    await page.keyboard.type('4a8 2-9')
    assert.deepEqual(await told(page), ['4', '48', '482', '4829'])
    // In the middle of the code, where a character that is not a digit must not move anything.
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('x1')
    assert.equal(await input.inputValue(), '48129')
    assert.equal(await input.evaluate((element: HTMLInputElement) => element.selectionStart), 3)
    await page.keyboard.press('End')
    await page.keyboard.type('37')
    assert.equal(await input.inputValue(), '481293')
    assert.deepEqual((await told(page)).slice(-3), ['48129', '481293', 'all: 481293'])
    // A digit too many changes nothing, at the end or in the middle, where it would push the last one out.
    await page.keyboard.type('7')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('5')
    assert.equal(await input.inputValue(), '481293')
    assert.equal(await input.evaluate((element: HTMLInputElement) => element.selectionStart), 4)
    assert.equal((await told(page)).at(-1), 'all: 481293')
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('has nothing of its own but what browsers, keyboards and readers need, and yields to what it is given', async () => {
    const { page } = await stage().open({ show: 'inputs' })
    const attributes = (name: string) =>
      inputOf(page, name).evaluate((input) =>
        Object.fromEntries([...input.attributes].map((attribute) => [attribute.name, attribute.value])),
      )
    assert.deepEqual(await attributes('Code'), {
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
      pattern: '[0-9]{6}',
      autocapitalize: 'off',
      autocorrect: 'off',
      spellcheck: 'false',
      enterkeyhint: 'done',
      dir: 'ltr',
      type: 'text',
      value: '',
    })
    const four = await attributes('Four')
    assert.deepEqual([four.autocomplete, four.class, four.pattern], ['off', 'own', '[0-9]{4}'])
    // The page keeps these digits, and can clear them.
    await inputOf(page, 'Four').fill('12345')
    assert.equal(await inputOf(page, 'Four').inputValue(), '1234')
    await page.getByRole('button', { name: 'Clear' }).click()
    assert.equal(await inputOf(page, 'Four').inputValue(), '')
    await page.close()
  })

  const pasted: [text: string, code: string][] = [
    ['482913', '482913'],
    [' 482 913\n', '482913'],
    ['Shop24: 482-913 is your code, good for 10 minutes.', '482913'],
    ['Shop24: \u2068482\u200b913\u2069 is your code.', '482913'],
    ['\ufeff48\u206029\u00ad13', '482913'],
    ['482\u2011913', '482913'],
    ['482\u00a0913', '482913'],
    ['@shop.example #482913', '482913'],
    ['٤٨٢٩١٣', '482913'],
    ['۴۸۲۹۱۳', '482913'],
    ['४८२९१३', '482913'],
    ['４８２９１３', '482913'],
  ]
  test('finds the code in what is pasted or filled in, in every script, whatever was there', async () => {
    const { page } = await stage().open({ show: 'inputs' })
    const input = inputOf(page)
    for (const [text, code] of pasted) {
      await input.fill('77')
      assert.equal(await paste(page, text), true, text)
      assert.equal(await input.inputValue(), code, text)
      await input.fill('')
      await input.fill(text)
      assert.equal(await input.inputValue(), code, text)
    }
    // A part of a code is left to the browser, which puts it where the caret is.
    assert.equal(await paste(page, '12'), false)
    // So is what is pasted where the page lets nobody type.
    await input.evaluate((element: HTMLInputElement) => {
      element.readOnly = true
    })
    assert.equal(await paste(page, '123456'), false)
    await page.close()
  })

  test('reads the code of an SMS where the browser can, and stops asking when it goes', async () => {
    const { page } = await stage().open({ show: '' })
    await page.addInitScript(() => {
      const asked: AbortSignal[] = []
      Object.assign(globalThis, { OTPCredential: class {}, asked })
      navigator.credentials.get = ({ signal } = {}) =>
        new Promise((resolve, reject) => {
          if (signal) asked.push(signal)
          signal?.addEventListener('abort', () => reject(signal.reason))
          const answer = { id: '', type: 'otp', code: '482913' }
          Object.assign(globalThis, { arrive: () => resolve(answer) })
        })
    })
    await page.goto(page.url().replace('show=', 'show=inputs'))
    await page.evaluate('arrive()')
    await eventually(
      'the code',
      () => told(page),
      (all) => all.includes('all: 482913'),
    )
    assert.equal(await inputOf(page).inputValue(), '482913')
    // StrictMode unmounts the input once and mounts it again.
    assert.deepEqual(await page.evaluate('asked.map(({ aborted }) => aborted)'), [true, false])
    await page.close()
  })

  test('lets an input method finish before it reads what was made', async () => {
    const { page } = await stage().open({ show: 'inputs' })
    const input = inputOf(page)
    await input.focus()
    const session = await page.context().newCDPSession(page)
    await session.send('Input.imeSetComposition', { text: '４８２', selectionStart: 3, selectionEnd: 3 })
    assert.equal(await input.inputValue(), '４８２')
    await session.send('Input.insertText', { text: '４８２' })
    assert.equal(await input.inputValue(), '482')
    assert.deepEqual(await told(page), ['482'])
    await page.close()
  })
})

describe('the screen of the README', { concurrency: 2 }, () => {
  for (const dir of ['ltr', 'rtl']) {
    test(`${dir}: a wrong code, the right one, a token; nothing for axe to find on the way`, async () => {
      const app = await service().createApp({ routing: { default: ['sms'] } })
      const key = await app.createKey('publishable')
      const baseUrl = service().running.url
      const { page, complaints } = await stage().open({ show: 'readme', dir, key, baseUrl })
      assert.deepEqual(await findingsOn(page, 'light'), [])
      const recipient = newPhone()
      await page.getByLabel('Phone number').fill(` ${recipient.slice(0, 3)} ${recipient.slice(3)}`)
      await page.getByRole('button', { name: 'Send me a code' }).click()
      const input = page.getByRole('textbox', { name: /^Code sent to \+44\*{4}/ })
      await input.waitFor()
      const code = codeIn((await service().simulator.arrived(recipient, 'sms')).text)
      await page.keyboard.type(code === '000000' ? '000001' : '000000')
      await page.getByText('That is not the code').waitFor()
      assert.deepEqual(
        await input.evaluate((element: HTMLInputElement) => ({
          invalid: element.ariaInvalid,
          selected: [element.selectionStart, element.selectionEnd],
          described: document.getElementById(element.getAttribute('aria-describedby') ?? '')?.role,
          direction: getComputedStyle(element).direction,
        })),
        { invalid: 'true', selected: [0, 6], described: 'alert', direction: 'ltr' },
      )
      assert.deepEqual(await findingsOn(page, 'light'), [])
      // The wrong code is selected, so typing replaces it; the last digit checks the new one.
      await page.keyboard.type(code)
      await page.getByRole('status').waitFor()
      await page.getByRole('heading', { name: 'Welcome' }).waitFor()
      const [token, ...more] = await told(page)
      assert.deepEqual(more, [], 'the token was told again')
      const exchanged = await service().caller.call<{ recipient: string }>(
        'POST',
        '/api/v1/verifications/exchange',
        { key: app.key, body: { verification_token: token } },
      )
      assert.equal(exchanged.body.recipient, recipient)
      assert.deepEqual(complaints, [])
      await page.close()
    })
  }

  test('a code that could not be checked is checked when it is pasted again', async () => {
    const app = await service().createApp({ routing: { default: ['sms'] } })
    const key = await app.createKey('publishable')
    const { page } = await stage().open({ show: 'readme', key, baseUrl: service().running.url })
    const recipient = newPhone()
    await page.getByLabel('Phone number').fill(recipient)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await inputOf(page, 'Code sent to').waitFor()
    const code = codeIn((await service().simulator.arrived(recipient, 'sms')).text)
    await page.route('**/otp/verify', (route) => route.fulfill({ status: 500 }), { times: 1 })
    await paste(page, code, 'Code sent to')
    await page.getByText('That did not work').waitFor()
    await paste(page, code, 'Code sent to')
    await page.getByRole('status').waitFor()
    await page.close()
  })

  test('while the first code is being sent nobody is asked to start again', async () => {
    const app = await service().createApp({ routing: { default: ['sms'] } })
    const key = await app.createKey('publishable')
    const { page } = await stage().open({ show: 'readme', key, baseUrl: service().running.url })
    const held: Route[] = []
    await page.route('**/otp/send', (route) => void held.push(route))
    await page.getByLabel('Phone number').fill(newPhone())
    await page.getByRole('button', { name: 'Send me a code' }).click()
    const [send] = await eventually(
      'the send',
      () => held,
      ({ length }) => length > 0,
    )
    assert.equal(await page.getByRole('alert').innerText(), '')
    await send?.continue()
    await page.getByRole('textbox', { name: /^Code sent to/ }).waitFor()
    await page.close()
  })
})
