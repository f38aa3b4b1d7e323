import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, send, start, TELEGRAM_TOKEN } from './harness.ts'

interface Reader {
  readonly text: () => string
  readonly stop: () => void
  readonly ended: Promise<void>
}

async function openStream(url: string): Promise<Reader> {
  const abort = new AbortController()
  const response = await fetch(`${url}/messages/stream`, { signal: abort.signal })
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  return { text: () => text, stop: () => abort.abort(), ended: read().catch(() => {}) }
}

function sendTelegram(url: string, code: string): Promise<Response> {
  const body = { phone_number: '+14155550101', code }
  return send('POST', `${url}/telegram/sendVerificationMessage`, body, {
    authorization: `Bearer ${TELEGRAM_TOKEN}`,
  })
}

test('every open page sees what came before and what comes', async (context) => {
  const { url } = await start(context)
  await sendTelegram(url, '111111')
  const readers = await Promise.all(Array.from({ length: 10 }, () => openStream(url)))
  await sendTelegram(url, '222222')
  for (const reader of readers) {
    const text = await eventually(reader.text, (seen) => seen.includes('222222'))
    assert.ok(text.indexOf('111111') < text.indexOf('222222'))
    assert.match(text, /^event: hello\n/)
  }
  readers[0]?.stop()
  await readers[0]?.ended
  await sendTelegram(url, '333333')
  await eventually(readers[1]?.text ?? (() => ''), (seen) => seen.includes('333333'))
  for (const reader of readers) reader.stop()
  await Promise.all(readers.map((reader) => reader.ended))
})

test('closing the simulator ends the streams', async (context) => {
  const simulator = await start(context)
  const reader = await openStream(simulator.url)
  await simulator.close()
  await reader.ended
})

test('the page comes with a strict policy and everything it refers to', async (context) => {
  const { url } = await start(context)
  const response = await fetch(`${url}/`)
  assert.equal(response.status, 200)
  const policy = response.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
  const html = await response.text()
  const references = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map((match) => match[1] ?? '')
    .filter((reference) => !reference.startsWith('#'))
  assert.ok(references.length >= 2)
  for (const reference of references) {
    assert.ok(reference.startsWith('/page/'), reference)
    assert.equal((await fetch(`${url}${reference}`)).status, 200, reference)
  }
  assert.equal((await fetch(`${url}/page/..%2Fmain.ts`)).status, 404)
})
