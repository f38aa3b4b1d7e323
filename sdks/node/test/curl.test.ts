/** The curl calls of docs/sdks.md, run as they are written there, against the service. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { newPhone } from '../../../e2e/harness/people.ts'
import { useService } from '../../../e2e/harness/service.ts'
import { codeIn } from '../../../e2e/harness/simulator.ts'
import { catchApproval, missing, run } from '../../backend-stage.ts'
import { verifyOnDevice } from './device.ts'

const service = useService()
const text = await readFile(new URL('../../../docs/sdks.md', import.meta.url), 'utf8')
const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code ?? '')
const call = (name: string) => blocks.find((code) => code.startsWith(`# ${name}`)) ?? assert.fail(name)
const skip = missing('curl --version && openssl version')

test('send, a wrong code, the right one, exchange, and webhooks real and forged', { skip }, async () => {
  const { running, createApp, simulator } = service()
  const app = await createApp({ routing: { default: ['sms'] } })
  const own = { COUNTERSIGN_URL: running.url, COUNTERSIGN_KEY: app.key }
  const print = async (name: string, env: Record<string, string>) =>
    (await run('sh', ['-c', call(name)], { cwd: '.', env: { ...own, ...env } })).stdout
  const ask = async (name: string, env: Record<string, string>) => JSON.parse(await print(name, env))

  const recipient = newPhone()
  const form = { RECIPIENT: recipient, FORM_ID: `form-${recipient}` }
  const sent = await ask('send', form)
  assert.deepEqual(await ask('send', form), sent)
  const code = codeIn((await simulator.arrived(recipient, 'sms')).text)
  const OTP_ID = String(sent.otp_id)
  assert.equal(
    (await ask('verify', { OTP_ID, CODE: code === '000000' ? '000001' : '000000' })).matched,
    false,
  )
  const { rawBody, headers, secret } = await catchApproval(app, async () => {
    assert.equal((await ask('verify', { OTP_ID, CODE: code })).matched, true)
  })

  const TOKEN = await verifyOnDevice(service(), app, recipient)
  assert.equal((await ask('exchange', { TOKEN })).recipient, recipient)
  assert.equal((await ask('exchange', { TOKEN: 'otp_vt_unknown' })).error.type, 'HTTPException')

  const signed = { TIMESTAMP: String(headers['x-webhook-timestamp']), RAW_BODY: rawBody, SECRET: secret }
  const signature = `${headers['x-webhook-signature']}\n`
  assert.equal(await print('webhook', signed), signature)
  const forged = rawBody.replace('otp.approved', 'otp.approveD')
  assert.notEqual(await print('webhook', { ...signed, RAW_BODY: forged }), signature)
  assert.notEqual(await print('webhook', { ...signed, SECRET: 'whsec_other' }), signature)
})
