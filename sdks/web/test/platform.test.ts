import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../../e2e/harness/wait.ts'
import type { Verification } from '../src/index.ts'
import { checked, sent, status, withReplies } from './fake-service.ts'

const recipient = '+447400123456'
const link = { channel: 'whatsapp', completion: 'inbound', action_url: 'https://wa.me/1?text=a' } as const

/** Sets a global of browsers for one test. */
function pretend(t: TestContext, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name)
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  t.after(() => {
    if (before) Object.defineProperty(globalThis, name, before)
    else Reflect.deleteProperty(globalThis, name)
  })
}

function pretendWebOtp(t: TestContext) {
  const requests: { signal: AbortSignal; deliver: (code: string) => void }[] = []
  const get = ({ signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')))
      requests.push({ signal, deliver: (code) => resolve({ code }) })
    })
  pretend(t, 'OTPCredential', class {})
  pretend(t, 'navigator', { credentials: { get } })
  return requests
}

const isVerified = ({ getState }: Verification) =>
  eventually(
    'verified',
    () => getState().phase,
    (phase) => phase === 'verified',
  )

test('a code that the browser reads from the SMS is shown and checked by itself', async (t) => {
  const requests = pretendWebOtp(t)
  const { verification, asked } = withReplies([sent(), status(), checked()])
  const stop = verification.subscribe(() => undefined)
  await verification.start(recipient)
  assert.equal(requests.length, 1)
  requests[0]?.deliver('012345')
  await isVerified(verification)
  assert.equal(verification.getState().code, '012345')
  assert.equal(asked[2]?.body?.code, '012345')
  stop()
})

test('it is not read on other channels, nor when that is switched off, nor when nobody listens', async (t) => {
  const requests = pretendWebOtp(t)
  const cases = [
    { replies: [sent({ channel: 'email' }), status({ channel: 'email' })], options: {}, listens: true },
    { replies: [sent(), status()], options: { autofill: false }, listens: true },
    { replies: [sent(), status()], options: {}, listens: false },
  ]
  for (const { replies, options, listens } of cases) {
    const { verification } = withReplies(replies, options)
    const stop = listens ? verification.subscribe(() => undefined) : () => undefined
    await verification.start(recipient)
    stop()
  }
  assert.equal(requests.length, 0)
})

test('the request to read it ends with the waiting', async (t) => {
  const requests = pretendWebOtp(t)
  const { verification } = withReplies([sent(), status(), checked()])
  const stop = verification.subscribe(() => undefined)
  await verification.start(recipient)
  assert.equal(requests[0]?.signal.aborted, false)
  await verification.verify('123456')
  assert.equal(requests[0]?.signal.aborted, true)
  stop()
})

test('openWhatsApp opens a tab that cannot reach back, or this page where pop-ups are blocked', async (t) => {
  const opened: string[] = []
  const tab = { opener: 'us' as unknown }
  let isBlocked = false
  pretend(t, 'location', { assign: (url: string) => opened.push(`here ${url}`) })
  pretend(t, 'window', {
    open: (url: string) => {
      opened.push(`tab ${url}`)
      return isBlocked ? null : tab
    },
  })
  const { verification } = withReplies([sent(link), status(link)])
  await verification.start(recipient)
  verification.openWhatsApp()
  assert.equal(tab.opener, null)
  isBlocked = true
  verification.openWhatsApp()
  assert.deepEqual(opened, [
    'tab https://wa.me/1?text=a',
    'tab https://wa.me/1?text=a',
    'here https://wa.me/1?text=a',
  ])
})

test('where there is no window, openUrl opens it, and its absence is said', async () => {
  const opened: string[] = []
  const replies = [sent(link), status(link)]
  const { verification } = withReplies(replies, { openUrl: (url) => opened.push(url) })
  await verification.start(recipient)
  verification.openWhatsApp()
  assert.deepEqual(opened, ['https://wa.me/1?text=a'])

  const { verification: bare } = withReplies(replies)
  await bare.start(recipient)
  assert.throws(() => bare.openWhatsApp(), /openUrl/)
})

test('coming back to the page asks for news at once', async (t) => {
  const page = new EventTarget()
  pretend(t, 'document', Object.assign(page, { visibilityState: 'visible' }))
  const { verification } = withReplies([sent(link), status(link), status({ ...link, status: 'approved' })])
  const stop = verification.subscribe(() => undefined)
  await verification.start(recipient)
  page.dispatchEvent(new Event('visibilitychange'))
  await isVerified(verification)
  stop()
})

test('without crypto, as in React Native, starts still have keys of their own', async (t) => {
  pretend(t, 'crypto', undefined)
  const { verification, asked } = withReplies([sent(), status(), sent(), status()])
  await verification.start(recipient)
  await verification.start(recipient)
  const keys = asked.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
  assert.equal(new Set(keys).size, 2)
  for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/)
})
