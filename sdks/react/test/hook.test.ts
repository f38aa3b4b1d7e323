/** The hook of the packed package, run by React in a real browser, against the service. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { TestApp } from '../../../e2e/harness/app.ts'
import { newPhone } from '../../../e2e/harness/people.ts'
import { useService as startService } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually, throughout } from '../../../e2e/harness/wait.ts'
import { useStage as openStage } from './stage.ts'

const service = startService()
const stage = openStage()
/** Longer than the first intervals at which a screen asks for news. */
const quietMs = 4_000

interface Shown {
  readonly phase: string
  readonly resendIn: number | null
  readonly isCodeWrong: boolean
  readonly attemptsRemaining: number | null
}

async function openScreen(app: TestApp) {
  const key = await app.createKey('publishable')
  const { page, complaints } = await stage().open({ show: 'hook', key, baseUrl: service().running.url })
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/'))
      asked.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  return { page, asked, complaints }
}

const shown = async (page: Page): Promise<Shown> => JSON.parse(await page.locator('output').innerText())
const until = (page: Page, isAsExpected: (state: Shown) => boolean) =>
  eventually('what the screen shows', () => shown(page), isAsExpected)
const start = async (page: Page, recipient: string) => {
  await page.getByLabel('Recipient').fill(recipient)
  await page.getByRole('button', { name: 'Start' }).click()
  await until(page, ({ phase }) => phase === 'waiting')
}

describe('a component with the hook, in StrictMode', { concurrency: true }, () => {
  test('shows every phase, sends one message, and ends with a token that proves the recipient', async () => {
    const app = await service().createApp({ routing: { default: ['sms'] } })
    const { page, asked, complaints } = await openScreen(app)
    const recipient = newPhone()
    await start(page, recipient)
    const code = codeIn((await service().simulator.arrived(recipient, 'sms')).text)
    const verify = async (typed: string) => {
      await page.getByLabel('Code').fill(typed)
      await page.getByRole('button', { name: 'Verify' }).click()
    }
    await verify(code === '000000' ? '000001' : '000000')
    const wrong = await until(page, ({ isCodeWrong }) => isCodeWrong)
    assert.deepEqual([wrong.phase, wrong.attemptsRemaining], ['waiting', 4])
    await verify(code)
    await until(page, ({ phase }) => phase === 'verified')
    assert.deepEqual(await page.evaluate('phases'), [
      'idle',
      'sending',
      'waiting',
      'verifying',
      'waiting',
      'verifying',
      'verified',
    ])
    assert.equal((await service().simulator.messages(recipient)).length, 1)
    assert.equal(asked.filter((line) => line === 'POST /api/v1/otp/send').length, 1)

    const token = await page.locator('code').innerText()
    const exchanged = await service().caller.call<{ recipient: string }>(
      'POST',
      '/api/v1/verifications/exchange',
      { key: app.key, body: { verification_token: token } },
    )
    assert.equal(exchanged.body.recipient, recipient)
    await page.getByRole('button', { name: 'Reset' }).click()
    assert.equal((await shown(page)).phase, 'idle')
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('counts the cooldown down to the resend', async () => {
    const app = await service().createApp({ resend_cooldown_s: 8, routing: { default: ['sms'] } })
    const { page } = await openScreen(app)
    const recipient = newPhone()
    await start(page, recipient)
    await until(page, ({ resendIn }) => resendIn === 0)
    const counted = await page.evaluate<(number | null)[]>('countdown')
    const seconds = counted.filter((resendIn) => resendIn !== null)
    assert.ok(seconds.length >= 3, counted.join())
    assert.deepEqual(seconds, seconds.toSorted().reverse())
    await page.getByRole('button', { name: 'Resend' }).click()
    await service().simulator.arrived(recipient, 'sms', 2)
    await page.close()
  })

  test('asks for news of a WhatsApp message while it is shown, and no more once it is gone', async () => {
    const app = await service().createApp({
      routing: { default: ['whatsapp'] },
      channels: { whatsapp: { mode: 'link_inbound' } },
    })
    const { page, asked } = await openScreen(app)
    await start(page, newPhone())
    const before = asked.length
    await eventually(
      'two more questions',
      () => asked.length,
      (count) => count >= before + 2,
    )
    await page.getByRole('button', { name: 'Toggle' }).click()
    await page.locator('output').waitFor({ state: 'detached' })
    const atTheEnd = asked.length
    await throughout(quietMs, () => assert.equal(asked.length, atTheEnd))
    await page.getByRole('button', { name: 'Toggle' }).click()
    assert.equal((await shown(page)).phase, 'idle')
    await page.close()
  })
})

test('what a browser refuses, cannot reach or may not read is told as what it is', async () => {
  const { running, createApp } = service()
  const app = await createApp({ routing: { default: ['sms'] } })
  const { page } = await openScreen(app)
  const startWith = (key: string, baseUrl: string) =>
    page.evaluate(`(async () => {
      try {
        const { phase, error } = await createVerification({ key: '${key}', baseUrl: '${baseUrl}' }).start('${newPhone()}')
        return [phase, error?.type, error?.status]
      } catch (error) {
        return error.message
      }
    })()`)
  const key = await app.createKey('publishable')
  assert.match(String(await startWith(app.key, running.url)), /This is a server key/)
  assert.deepEqual(await startWith('otp_pk_unknown', running.url), ['idle', 'HTTPException', 401])
  assert.deepEqual(await startWith(key, `${running.url}/api/v1/`), ['waiting', undefined, undefined])
  // The simulator answers, but its answers are blocked for pages of another origin.
  assert.deepEqual(await startWith(key, running.simulatorUrl), ['idle', 'ConnectionError', null])
  await page.context().setOffline(true)
  assert.deepEqual(await startWith(key, running.url), ['idle', 'ConnectionError', null])
  await page.close()
})
