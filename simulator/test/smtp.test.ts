import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { boundPort } from '../src/listen.ts'
import { eventually, type Running, start } from './harness.ts'

const PERSON = 'someone@example.org'
const RETURN_PATH = 'bounce+dlv_01=ab12@mail.example'

interface Bounce {
  readonly from: string
  readonly to: string[]
  readonly raw: string
}

interface BounceServer {
  readonly port: number
  readonly bounces: Bounce[]
  /** Codes with which to refuse the first reports. */
  readonly refusals: number[]
}

/** Where the service takes its delivery reports. */
async function startBounceServer(context: TestContext): Promise<BounceServer> {
  const bounces: Bounce[] = []
  const refusals: number[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onRcptTo(_address, _session, callback) {
      const responseCode = refusals.shift()
      callback(responseCode === undefined ? null : Object.assign(new Error('later'), { responseCode }))
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const to = rcptTo.map((recipient) => recipient.address)
        bounces.push({ from, to, raw: Buffer.concat(chunks).toString('latin1') })
        callback()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: boundPort(server.server.address()), bounces, refusals }
}

const NOTIFY = { id: 'dlv_01', return: 'headers', notify: ['success', 'failure', 'delay'], recipient: PERSON }

async function sendMail(simulator: Running, changes: Record<string, unknown> = {}, password = 'secret') {
  const transport = createTransport({
    host: '127.0.0.1',
    port: simulator.smtpPort,
    secure: false,
    auth: { user: 'service', pass: password },
  })
  try {
    return await transport.sendMail({
      from: 'ACME <codes@mail.example>',
      to: PERSON,
      envelope: { from: RETURN_PATH, to: PERSON },
      subject: 'Ihr Code für ACME',
      text: '123456 is your ACME code.\n',
      html: '<p><b>123456</b> is your ACME code.</p>',
      dsn: NOTIFY,
      ...changes,
    })
  } finally {
    transport.close()
  }
}

function refusal(code: number): (error: unknown) => boolean {
  return (error) => error instanceof Error && 'responseCode' in error && error.responseCode === code
}

test('a mail reaches the inbox with subject, text and html', async (context) => {
  const simulator = await start(context)
  await sendMail(simulator)
  const [message] = await simulator.messages(`?to=${PERSON.toUpperCase()}&channel=email`)
  assert.equal(message?.subject, 'Ihr Code für ACME')
  assert.equal(message?.text, '123456 is your ACME code.')
  assert.match(message?.html ?? '', /<b>123456<\/b>/)
  assert.equal(message?.from, 'codes@mail.example')
  assert.equal(message?.to, PERSON)
  const page = await fetch(`${simulator.url}/messages/${message?.id}/html`)
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /default-src 'none'.*sandbox allow-same-origin$/,
  )
  assert.match(await page.text(), /<b>123456<\/b>/)
})

test('a domain beyond ASCII is the same in both of its spellings', async (context) => {
  const simulator = await start(context)
  const spellings = ['a@xn--bcher-kva.example', 'A@bücher.example', 'a@BÜCHER.example']
  for (const to of spellings) {
    await simulator.behave({ to, outcome: 'silent' })
    await sendMail(simulator, { to, envelope: { from: RETURN_PATH, to } })
  }
  const rules = await (await fetch(`${simulator.url}/behaviour`)).json()
  assert.equal((rules as object[]).length, 1)
  for (const to of spellings)
    assert.equal((await simulator.messages(`?to=${encodeURIComponent(to)}`)).length, 3, to)
})

test('a mail without plain text is read from its html', async (context) => {
  const simulator = await start(context)
  await sendMail(simulator, {
    text: undefined,
    html: '<style>p{}</style><p>Your code</p><p>654321 &amp; more</p>',
  })
  assert.match((await simulator.messages())[0]?.text ?? '', /^Your code\s+654321 & more$/)
})

test('a delivered mail is reported to the return path', async (context) => {
  const { port, bounces } = await startBounceServer(context)
  const simulator = await start(context, { bounce: { host: '127.0.0.1', port } })
  await sendMail(simulator)
  await eventually(
    () => bounces.length,
    (count) => count === 1,
  )
  const [bounce] = bounces
  assert.ok(bounce)
  assert.equal(bounce.from, '')
  assert.deepEqual(bounce.to, [RETURN_PATH])
  assert.match(bounce.raw, /multipart\/report; report-type=delivery-status/)
  assert.match(bounce.raw, /^Original-Envelope-Id: dlv_01\r$/m)
  assert.match(bounce.raw, /^Original-Recipient: rfc822;someone@example\.org\r$/m)
  assert.match(bounce.raw, /^Action: delivered\r$/m)
  assert.doesNotMatch(bounce.raw, /123456 is your/)
  assert.equal((await PostalMime.parse(bounce.raw)).subject, 'Delivery Status Notification (delivered)')
})

test('a failed mail never arrives and is reported with 5.2.2', async (context) => {
  const { port, bounces } = await startBounceServer(context)
  const simulator = await start(context, { bounce: { host: '127.0.0.1', port } })
  await simulator.behave({ to: PERSON, outcome: 'fail' })
  await sendMail(simulator)
  await eventually(
    () => bounces.length,
    (count) => count === 1,
  )
  assert.match(bounces[0]?.raw ?? '', /^Action: failed\r\nStatus: 5\.2\.2\r$/m)
  assert.equal((await simulator.messages()).length, 0)
})

test('duplicate reports twice and out of order', async (context) => {
  const { port, bounces } = await startBounceServer(context)
  const simulator = await start(context, { bounce: { host: '127.0.0.1', port } })
  await simulator.behave({ to: PERSON, channel: 'email', outcome: 'duplicate' })
  await sendMail(simulator)
  await eventually(
    () => bounces.length,
    (count) => count === 3,
  )
  const actions = bounces.map((bounce) => /^Action: (\w+)/m.exec(bounce.raw)?.[1])
  assert.deepEqual(actions, ['delivered', 'delayed', 'delivered'])
})

test('silence, NOTIFY=NEVER and success nobody asked for are not reported', async (context) => {
  const { port, bounces } = await startBounceServer(context)
  const simulator = await start(context, { bounce: { host: '127.0.0.1', port } })
  await sendMail(simulator, { dsn: { ...NOTIFY, notify: 'never' } })
  await sendMail(simulator, { dsn: undefined })
  await simulator.behave({ to: PERSON, outcome: 'silent' })
  await sendMail(simulator)
  await simulator.behave({ to: PERSON, outcome: 'deliver' })
  await sendMail(simulator, { dsn: { ...NOTIFY, id: 'dlv_last' } })
  await eventually(
    () => bounces.length,
    (count) => count > 0,
  )
  assert.equal(bounces.length, 1)
  assert.match(bounces[0]?.raw ?? '', /dlv_last/)
  assert.equal((await simulator.messages()).length, 4)
})

test('a report that is put off is sent again', async (context) => {
  const { port, bounces, refusals } = await startBounceServer(context)
  refusals.push(451, 421)
  const simulator = await start(context, { bounce: { host: '127.0.0.1', port } })
  await sendMail(simulator)
  await eventually(
    () => bounces.length,
    (count) => count === 1,
  )
  assert.equal(refusals.length, 0)
})

test('reject, unreachable, error and throttle refuse the recipient', async (context) => {
  const simulator = await start(context)
  for (const [outcome, code] of [
    ['reject', 550],
    ['unreachable', 550],
    ['error', 451],
    ['throttle', 450],
  ] as const) {
    await simulator.behave({ to: PERSON, outcome })
    await assert.rejects(sendMail(simulator), refusal(code))
  }
  assert.equal((await simulator.messages()).length, 0)
})

test('a delay holds back the answer once', async (context) => {
  const simulator = await start(context)
  const delayMs = 3_000
  await simulator.behave({ to: PERSON, outcome: 'deliver', delay_ms: delayMs })
  const before = performance.now()
  await sendMail(simulator)
  const spent = performance.now() - before
  assert.ok(spent >= delayMs - 5 && spent < 2 * delayMs, String(spent))
})

test('a wrong password is refused', async (context) => {
  const simulator = await start(context)
  await assert.rejects(sendMail(simulator, {}, 'wrong'), refusal(535))
})
