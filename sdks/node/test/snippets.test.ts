/** The clients in docs/sdks.md, run as they are written there, against the service. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { TestApp } from '../../../e2e/harness/app.ts'
import { newPhone } from '../../../e2e/harness/people.ts'
import { openReceiver } from '../../../e2e/harness/receiver.ts'
import { useService } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { eventually } from '../../../e2e/harness/wait.ts'
import { verifyOnDevice } from './device.ts'

const execute = promisify(execFile)
const service = useService()
const text = await readFile(new URL('../../../docs/sdks.md', import.meta.url), 'utf8')

/** The code blocks of a language, in order. */
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code ?? '')
const shell = (name: string) => blocks('sh').find((code) => code.startsWith(`# ${name}`)) ?? assert.fail(name)

interface Webhook {
  readonly rawBody: string
  readonly headers: IncomingHttpHeaders
  readonly secret: string
}

/** One action with its arguments; resolves with what it printed, rejects when it failed. */
type Client = (action: string, ...args: string[]) => Promise<string>
type Environment = Readonly<Record<string, string>>

const clients: Record<string, (folder: string, environment: Environment) => Promise<Client>> = {
  curl: async (_folder, environment) => {
    const names: Record<string, string[]> = {
      send: ['RECIPIENT', 'CLIENT_IP', 'FORM_ID'],
      verify: ['OTP_ID', 'CODE'],
      exchange: ['TOKEN'],
    }
    const run = async (name: string, values: Environment) =>
      (await execute('sh', ['-c', shell(name)], { env: { ...process.env, ...environment, ...values } }))
        .stdout
    return async (action, ...args) => {
      if (action !== 'webhook')
        return run(
          action,
          Object.fromEntries((names[action] ?? []).map((name, index) => [name, args[index] ?? ''])),
        )
      const [rawBody = '', headers = '{}', secret = ''] = args
      const { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature } = JSON.parse(headers)
      const expected = await run('webhook', { TIMESTAMP: timestamp, RAW_BODY: rawBody, SECRET: secret })
      assert.equal(expected.trim(), signature)
      return rawBody
    }
  },

  python3: async (folder, environment) => {
    await writeFile(join(folder, 'countersign.py'), blocks('python').join('\n'))
    const main = `
import json, sys, countersign
from email.message import Message
action, *args = sys.argv[1:]
if action == "webhook":
    headers = Message()
    for name, value in json.loads(args[1]).items(): headers[name] = value
    print(json.dumps(countersign.verify_webhook(args[0].encode(), headers, args[2])))
else:
    try: print(json.dumps(getattr(countersign, action)(*args)))
    except countersign.CountersignError as error: print(json.dumps({"refused": error.type, "status": error.status}))
`
    await writeFile(join(folder, 'main.py'), main)
    const env = { ...process.env, ...environment }
    return async (...args) => (await execute('python3', ['main.py', ...args], { cwd: folder, env })).stdout
  },

  go: async (folder, environment) => {
    await writeFile(join(folder, 'go.mod'), 'module example.com/countersign\n\ngo 1.21\n')
    await writeFile(
      join(folder, 'client.go'),
      blocks('go').join('\n').replace('package countersign', 'package main'),
    )
    const main = `package main
import ("encoding/json"; "errors"; "fmt"; "net/http"; "os"; "time")
func main() {
	args := os.Args[2:]
	var answer any
	var err error
	switch os.Args[1] {
	case "send": answer, err = Send(args[0], args[1], args[2])
	case "verify": answer, err = Verify(args[0], args[1])
	case "exchange": answer, err = Exchange(args[0])
	case "webhook":
		header, values := http.Header{}, map[string]string{}
		json.Unmarshal([]byte(args[1]), &values)
		for name, value := range values { header.Set(name, value) }
		answer, err = VerifyWebhook([]byte(args[0]), header, args[2], 5*time.Minute)
	}
	var refusal *Error
	if errors.As(err, &refusal) {
		answer, err = map[string]any{"refused": refusal.Type, "status": refusal.Status}, nil
	}
	if err != nil { fmt.Fprintln(os.Stderr, err); os.Exit(1) }
	json.NewEncoder(os.Stdout).Encode(answer)
}
`
    await writeFile(join(folder, 'main.go'), main)
    const env = { ...process.env, ...environment, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' }
    await execute('go', ['vet', '.'], { cwd: folder, env })
    const { stdout } = await execute('gofmt', ['-l', 'client.go'], { cwd: folder, env })
    assert.equal(stdout, '', 'gofmt would write it otherwise')
    await execute('go', ['build', '-o', 'client', '.'], { cwd: folder, env })
    return async (...args) => (await execute(join(folder, 'client'), args, { env })).stdout
  },
}

async function catchWebhook(app: TestApp, provoke: () => Promise<void>): Promise<Webhook> {
  const receiver = await openReceiver()
  try {
    const secret = await app.sendEventsTo(receiver.url)
    await provoke()
    const { rawBody, headers } = await eventually(
      'the event',
      () => receiver.received.find((one) => one.rawBody.includes('otp.approved')) ?? null,
      (one) => one !== null,
    ).then((one) => one ?? assert.fail())
    return { rawBody: rawBody.toString('utf8'), headers, secret }
  } finally {
    receiver.close()
  }
}

/** What each needs on the machine. */
const probes: Readonly<Record<string, string>> = {
  curl: 'curl --version && openssl version',
  python3: 'python3 --version',
  go: 'go version',
}

for (const [name, create] of Object.entries(clients)) {
  const isMissing = spawnSync('sh', ['-c', probes[name] ?? 'false']).status !== 0
  const skip = isMissing && `not on this machine: ${probes[name]}`
  describe(`${name} as in docs/sdks.md`, { skip }, () => {
    let folder = ''
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'countersign-snippets-'))
    })
    after(() => rm(folder, { recursive: true, force: true }))

    test('send, a wrong code, the right one, exchange, and webhooks real and forged', async () => {
      const { running, createApp, simulator } = service()
      const app = await createApp({ routing: { default: ['sms'] } })
      const client = await create(folder, { COUNTERSIGN_URL: running.url, COUNTERSIGN_KEY: app.key })
      const ask = async (action: string, ...args: string[]) => JSON.parse(await client(action, ...args))

      const recipient = newPhone()
      const form = `form-${name}`
      const sent = await ask('send', recipient, '81.2.69.142', form)
      assert.deepEqual(await ask('send', recipient, '81.2.69.142', form), sent)
      const code = codeIn((await simulator.arrived(recipient, 'sms')).text)
      const otpId = String(sent.otp_id)
      assert.equal((await ask('verify', otpId, code === '000000' ? '000001' : '000000')).matched, false)
      const webhook = await catchWebhook(app, async () => {
        assert.equal((await ask('verify', otpId, code)).matched, true)
      })

      const verificationToken = await verifyOnDevice(service(), app, recipient)
      assert.equal((await ask('exchange', verificationToken)).recipient, recipient)
      const refused = await ask('exchange', 'otp_vt_unknown')
      if (name === 'curl') assert.equal(Object.hasOwn(refused, 'error'), true)
      else assert.deepEqual(refused, { refused: 'HTTPException', status: 404 })

      const { rawBody, headers, secret } = webhook
      assert.equal((await ask('webhook', rawBody, JSON.stringify(headers), secret)).type, 'otp.approved')
      const forged = rawBody.replace('otp.approved', 'otp.approveD')
      await assert.rejects(client('webhook', forged, JSON.stringify(headers), secret))
      await assert.rejects(client('webhook', rawBody, JSON.stringify(headers), 'whsec_other'))
      if (name === 'curl') return
      const old = { ...headers, 'x-webhook-timestamp': '1700000000' }
      await assert.rejects(client('webhook', rawBody, JSON.stringify(old), secret))
      const { 'x-webhook-signature': signature, ...others } = headers
      const rotated = {
        ...others,
        'x-webhook-signature': 'a'.repeat(64),
        'x-webhook-signature-previous': signature,
      }
      assert.equal((await ask('webhook', rawBody, JSON.stringify(rotated), secret)).type, 'otp.approved')
    })
  })
}
