import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useBrowser } from '../harness/browser.ts'
import { eventually, throughout } from '../harness/wait.ts'
import { type App, approve, started } from './app.ts'
import { list } from './calls.ts'
import { headerOf, openWithEndpoint, readEvent } from './endpoint.ts'
import { needs, useInstance } from './instance.ts'
import { newAddress, newEmail } from './people.ts'
import { enterKeysScreen } from './screen.ts'

const instance = useInstance()
const clocksMayDifferS = 120
const mostFailures = 100

describe('6.4 Delivery and retries', { concurrency: 4 }, () => {
  const browser = useBrowser(needs('receiver', 'people').skip === false)

  test(
    '6.4.1 and 6.4.4 a failing endpoint is retried with growing waits, with the same id and a fresh signature',
    needs('receiver', 'people'),
    async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance())
      endpoint.answerWith(500)
      const otpId = await approve(instance(), app, 'email')
      await endpoint.requests('otp.approved', otpId, 2)
      const [first, second, third] = await endpoint.requests('otp.approved', otpId, 3)
      assert.ok(first && second && third)
      const [firstWaitMs, secondWaitMs] = [
        second.receivedAtMs - first.receivedAtMs,
        third.receivedAtMs - second.receivedAtMs,
      ]
      assert.ok(secondWaitMs > firstWaitMs, `waited ${firstWaitMs} ms, then ${secondWaitMs} ms`)
      const ids = [first, second, third].map((request) => readEvent(request, endpoint.secret).id)
      assert.equal(new Set(ids).size, 1)
      for (const request of [first, second, third]) {
        const timestamp = Number(headerOf(request, 'X-Webhook-Timestamp'))
        assert.ok(Math.abs(timestamp - request.receivedAtMs / 1_000) < clocksMayDifferS)
      }
      assert.ok(
        Number(headerOf(third, 'X-Webhook-Timestamp')) > Number(headerOf(first, 'X-Webhook-Timestamp')),
        'an old timestamp would be stale',
      )
    },
  )

  test(
    '6.4.1 what failed once is delivered when the endpoint works again',
    needs('receiver', 'people'),
    async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance())
      endpoint.answerWith(503)
      const otpId = await approve(instance(), app, 'email')
      await endpoint.requests('otp.approved', otpId)
      endpoint.answerWith(200)
      await endpoint.requests('otp.approved', otpId, 2)
    },
  )

  test(
    '6.4.2 repeated failures pause delivery until the endpoint is enabled again on the API Keys screen',
    needs('receiver', 'people'),
    async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance())
      endpoint.answerWith(500)
      await failUntilPaused(app)
      const before = endpoint.received.length
      const held = await approve(instance(), app, 'email')
      // An event that is not held would be sent at once.
      await throughout(1_000, () =>
        assert.equal(endpoint.received.length, before, 'nothing comes while paused'),
      )

      endpoint.answerWith(204)
      const page = await enterKeysScreen(instance(), app, await browser().newPage())
      await page.getByRole('button', { name: 'Enable again' }).click()
      await endpoint.event('otp.approved', held)
    },
  )

  for (const status of [200, 201, 202, 204]) {
    test(`6.4.3 ${status} is taken as received`, needs('receiver', 'people'), async (t) => {
      const { app, endpoint } = await openWithEndpoint(t, instance())
      endpoint.answerWith(status)
      const { id } = await endpoint.event('otp.approved', await approve(instance(), app, 'email'))
      await eventually(
        'the event counts as delivered',
        async () => {
          const { events } = await app.manage('GET', `/apps/${app.appId}/events`)
          return list(events).find((event) => event.id === id)?.status
        },
        (found) => found === 'delivered',
      )
    })
  }
})

/** Makes events fail until the endpoint is paused. */
async function failUntilPaused(app: App): Promise<void> {
  const isPaused = async () => (await app.manage('GET', `/apps/${app.appId}/webhook`)).status === 'paused'
  for (let count = 0; count < mostFailures && !(await isPaused()); count++) {
    started(await app.server.send({ recipient: newEmail(), client_ip: newAddress() }))
  }
  await eventually('the endpoint is paused', isPaused, Boolean)
}
