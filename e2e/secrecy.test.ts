import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { TestApp } from './harness/app.ts'
import { withDatabase } from './harness/database.ts'
import { newPhone, newRecipient } from './harness/people.ts'
import { type RunningService, removeDataDir, start } from './harness/process.ts'
import { type ServiceUnderTest, serviceOf } from './harness/service.ts'
import { type Channel, channels, codeIn, type Outcome } from './harness/simulator.ts'

/** Long enough that no other number is mistaken for a code. */
const codeLength = 8
const linkReference = 'the reference of a link'
const outcomes = ['deliver', 'fail', 'reject', 'unreachable', 'silent', 'error', 'duplicate'] as const

/** Each secret that must not be found anywhere, and what it is. */
const secrets = new Map<string, string>()
const answers: string[] = []
let running: RunningService | undefined
let metrics = ''

function keep(what: string, secret: string): string {
  secrets.set(secret.replace(/^\+/, ''), what)
  return secret
}

before(async () => {
  running = await start()
  await makeDatabaseTalkative(running)
  assert.deepEqual(await running.stop(), { code: 0, signal: null })
  running = await start({ dataDir: running.dataDir, environment: { LOG_LEVEL: 'debug' } })
  const service = serviceOf(running)
  await useEverything(service)
  metrics = await (await fetch(`${running.url}/metrics`)).text()
  assert.deepEqual(await running.stop(), { code: 0, signal: null })
})
after(async () => {
  // It still runs if something before has failed.
  await running?.stop()
  if (running) await removeDataDir(running.dataDir)
})

/** PostgreSQL then writes every statement to its log, with all values, as operators make it do to look for trouble. */
async function makeDatabaseTalkative(service: RunningService): Promise<void> {
  const settings = {
    log_statement: 'all',
    log_min_duration_statement: '0',
    log_min_error_statement: 'error',
    log_error_verbosity: 'default',
    log_parameter_max_length: '-1',
    log_parameter_max_length_on_error: '-1',
  }
  await withDatabase(service, async (client) => {
    for (const [name, value] of Object.entries(settings)) {
      const { rows } = await client.query(
        `select format('alter database %I set ${name} = %L', current_database(), $1::text) as text`,
        [value],
      )
      await client.query(rows[0].text)
    }
  })
}

async function useEverything(service: ServiceUnderTest): Promise<void> {
  await Promise.all([
    ...channels.flatMap((channel) => outcomes.map((outcome) => goThrough(service, channel, outcome))),
    writeThroughLink(service, 'link_code'),
    writeThroughLink(service, 'link_inbound'),
    verifyOnDevice(service),
    callWrongly(service),
    administer(service),
  ])
}

async function goThrough(service: ServiceUnderTest, channel: Channel, outcome: Outcome): Promise<void> {
  const { createApp, simulator } = service
  const app = await createApp({ routing: { default: [channel] }, code_length: codeLength })
  keep('a server key', app.key)
  const recipient = keep(`a recipient on ${channel}`, newRecipient(channel))
  await simulator.behave(recipient, channel, outcome)
  const { otp_id: otpId } = await app.send({ recipient })
  if (outcome === 'error') await simulator.behave(recipient, channel, 'deliver')
  const expected = { reject: 'failed', fail: 'failed', unreachable: 'failed', silent: 'sent' } as const
  const wanted = outcome in expected ? expected[outcome as keyof typeof expected] : 'delivered'
  await app.delivery(otpId, wanted)
  await readEverything(service, app, otpId)
  if (wanted === 'failed') return
  const code = keep('a code', codeIn((await simulator.arrived(recipient, channel)).text, codeLength))
  const wrong = code.replace(/.$/, code.endsWith('0') ? '1' : '0')
  answers.push(JSON.stringify(await app.verify(otpId, wrong)))
  answers.push(JSON.stringify(await app.verify(otpId, code)))
  await readEverything(service, app, otpId)
}

async function readEverything({ caller }: ServiceUnderTest, app: TestApp, otpId: string): Promise<void> {
  for (const path of [`/api/v1/otp/${otpId}`, `/api/v1/otp/${otpId}/decision`]) {
    answers.push(JSON.stringify((await caller.call('GET', path, { key: app.key })).body))
  }
}

async function writeThroughLink(service: ServiceUnderTest, mode: string): Promise<void> {
  const { createApp, simulator } = service
  const settings = { routing: { default: ['whatsapp'] }, channels: { whatsapp: { mode } } }
  const app = await createApp({ ...settings, code_length: codeLength })
  const recipient = keep('a recipient on a link', newPhone())
  const { otp_id: otpId, action_url: actionUrl } = await app.send({ recipient })
  const { pathname, searchParams } = new URL(actionUrl ?? '')
  const text = searchParams.get('text') ?? ''
  keep(linkReference, /(?:[0-9A-Z]{4}-?){4}/.exec(text)?.[0] ?? assert.fail('no reference'))
  await simulator.write(newPhone(), `+${pathname.slice(1)}`, text)
  await simulator.write(recipient, `+${pathname.slice(1)}`, text)
  if (mode === 'link_code')
    keep('a code', codeIn((await simulator.arrived(recipient, 'whatsapp')).text, codeLength))
  await readEverything(service, app, otpId)
}

async function verifyOnDevice({ caller, simulator, running: { firstApp } }: ServiceUnderTest): Promise<void> {
  const recipient = keep('a recipient on a device', newPhone())
  const call = async <Body>(path: string, body: unknown) =>
    (await caller.call<Body>('POST', path, { key: firstApp.publishable_key, body })).body
  const { otp_id: otpId } = await call<{ otp_id: string }>('/api/v1/otp/send', { recipient })
  const { text } = await simulator.arrived(recipient, 'sms')
  const body = { otp_id: otpId, code: codeIn(text) }
  const { verification_token: token } = await call<{ verification_token: string }>('/api/v1/otp/verify', body)
  keep('a token', token)
  const exchanged = await caller.call<{ recipient: string }>('POST', '/api/v1/verifications/exchange', {
    key: firstApp.server_key,
    body: { verification_token: token },
  })
  assert.equal(exchanged.body.recipient, recipient)
}

/** What people and their automation do beside sending: with each secret that they are shown, or write. */
async function administer({ caller, createApp, simulator, running }: ServiceUnderTest): Promise<void> {
  const app = await createApp()
  const company = `/manage/v1/companies/${app.companyId}`
  const call = async (method: string, path: string, body?: unknown) => {
    const options = { key: running.adminToken, ...(body === undefined ? {} : { body }) }
    const answer = await caller.call<Record<string, string>>(method, path, options)
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const webhook = `/manage/v1/apps/${app.appId}/webhook`
  const { signing_secret: first = '' } = await call('PUT', webhook, { url: 'http://127.0.0.1:9/' })
  const { signing_secret: second = '' } = await call('POST', `${webhook}/rotate-secret`)
  const member = keep('a member’s address', newRecipient('email'))
  const alerts = {
    channels: [
      { kind: 'webhook', to: 'http://127.0.0.1:9/' },
      { kind: 'email', to: member },
    ],
  }
  const { signing_secret: third = '' } = await call('PUT', `${company}/alerts`, alerts)
  for (const secret of [first, second, third]) keep('a signing secret', secret)
  const auth_token = keep('a credential', `secret${'8f'.repeat(13)}`)
  const settings = { account_sid: `AC${'0'.repeat(32)}`, auth_token, from: '+15550001111' }
  const account = { company_id: app.companyId, channel: 'sms', kind: 'twilio', settings }
  await call('POST', '/manage/v1/providers', account)
  const [erased, found] = [keep('an erased recipient', newPhone()), keep('a sought recipient', newPhone())]
  await call('POST', `${company}/erasures`, { recipient: erased })
  await call('POST', `${company}/search`, { recipient: found })
  await call('POST', `${company}/invitations`, { email: member, role: 'owner' })
  await signIn()

  async function signIn(): Promise<void> {
    const post = (path: string, body: unknown) =>
      fetch(`${running.url}/manage/v1${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { origin: running.url, 'content-type': 'application/json' },
      })
    const { otp_id } = (await (await post('/sign-in', { email: member })).json()) as { otp_id: string }
    const code = keep('a code', codeIn((await simulator.arrived(member, 'email')).text, codeLength))
    const signedIn = await post('/sign-in/code', { otp_id, code })
    assert.equal(signedIn.status, 200)
    for (const cookie of signedIn.headers.getSetCookie())
      keep('a cookie', /=([^;]+)/.exec(cookie)?.[1] ?? assert.fail('no cookie'))
  }
}

/** Calls with secrets in fields where they do not belong, as people and programs make them. */
async function callWrongly(service: ServiceUnderTest): Promise<void> {
  const {
    createApp,
    running: { url },
  } = service
  const { key } = await createApp()
  const recipient = keep('a misplaced recipient', newPhone())
  const post = (path: string, body: string, bearer = key) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    })
  const digits = recipient.slice(1)
  for (const response of [
    await post('/api/v1/otp/send', `{"recipient": "${recipient}`),
    await post('/api/v1/otp/send', JSON.stringify({ recipient: `${recipient} ext. 5` })),
    await post('/api/v1/otp/send', JSON.stringify({ recipient, client_ip: digits })),
    await post('/api/v1/otp/send', JSON.stringify({ recipient, channel: 'sms' })),
    await post(
      '/api/v1/otp/send',
      JSON.stringify({ recipient }),
      keep('a made-up key', `otp_sk_${'q7'.repeat(20)}`),
    ),
    await post('/api/v1/otp/resend', JSON.stringify({ otp_id: digits })),
    await post('/api/v1/otp/verify', JSON.stringify({ otp_id: digits, code: digits.slice(-8) })),
    await post('/hooks/simulator-whatsapp', JSON.stringify({ from: digits })),
    await fetch(`${url}/api/v1/otp/${digits}`, { headers: { authorization: `Bearer ${key}` } }),
    await fetch(`${url}/nowhere?recipient=${digits}`),
    await fetch(`${url}/hooks/simulator-telegram?phone=${digits}`),
  ]) {
    assert.ok(response.status >= 400 && response.status < 500)
    await response.text()
  }
}

/** The secrets that occur in it, other than as part of a longer number. */
function found(place: Buffer | string): string[] {
  const bytes = Buffer.from(place)
  return [...secrets].flatMap(([secret, what]) => {
    const isNumber = /^\d+$/.test(secret)
    for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + 1)) {
      const neighbours = [bytes[at - 1], bytes[at + secret.length]]
      if (!isNumber || !neighbours.some(isDigit)) return [what]
    }
    return []
  })
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

describe('no code, no full recipient, no key and no token of a whole day of use', () => {
  test('there is something to look for', () => {
    assert.ok(secrets.size > 60)
    const sample = [...secrets.keys()][0] ?? ''
    assert.equal(found(`x ${sample} y`).length, 1)
  })

  test('is printed by the service, even at its most talkative', () => {
    assert.ok(running)
    assert.ok(running.output().includes('Countersign is ready.'))
    assert.deepEqual(found(running.output()), [])
  })

  test('is in the metrics', () => {
    assert.match(metrics, /countersign_delivery_attempts_total/)
    assert.deepEqual(found(metrics), [])
  })

  test('is in what the service answers about a verification', () => {
    assert.ok(answers.length > 50)
    // A caller who may read the verification may also read its link.
    const leaks = found(answers.join('\n')).filter((what) => what !== linkReference)
    assert.deepEqual(leaks, [])
  })

  test('is in any file of the data folder: a log of every statement, tables, write-ahead log', async () => {
    assert.ok(running)
    const files = await filesUnder(running.dataDir)
    const log = files.find((file) => file.endsWith('postgres.log')) ?? assert.fail('no log of PostgreSQL')
    // Some values of some send, so that the log is known to have them.
    assert.match(await readFile(log, 'utf8'), /insert into verifications[\s\S]*parameters: \$1 = 'cmp_/i)
    assert.ok(files.some((file) => file.includes('pg_wal')))
    const leaks: string[] = []
    for (const file of files) {
      for (const what of found(await readFile(file))) leaks.push(`${what} in ${file}`)
    }
    assert.deepEqual(leaks, [])
  })
})
