/** The packed package without Node's own APIs, with only those of the web: as on Deno, Bun and edge runtimes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usePackedNode } from '../../packed-project.ts'
import { answered, drop, refuse, serve } from './scripted-server.ts'

/** All globals that the package may find, besides those of the language itself. */
const webGlobals = [
  'fetch',
  'crypto',
  'URL',
  'TextEncoder',
  'TextDecoder',
  'AbortController',
  'setTimeout',
  'clearTimeout',
]

/** Runs a module that imports the package in a context of its own, and prints what it exports as `result`. */
const runner = `
  import { readFile } from 'node:fs/promises'
  import vm from 'node:vm'
  const names = ${JSON.stringify(webGlobals)}
  const given = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
  const context = vm.createContext({ ...given, baseUrl: process.argv[2], outerBytes: new TextEncoder().encode('{}') })
  const read = async (url) => new vm.SourceTextModule(await readFile(new URL(url), 'utf8'), { context })
  const sdk = await read(import.meta.resolve('@countersign/node'))
  await sdk.link((name) => { throw new Error('the package imports ' + name) })
  const main = await read(new URL('program.mjs', import.meta.url))
  await main.link(() => sdk)
  await main.evaluate()
  console.log(JSON.stringify(main.namespace.result))
`

const project = usePackedNode()

async function runOutsideNode(program: string, baseUrl = ''): Promise<unknown> {
  await project().write('runner.mjs', runner)
  await project().write('program.mjs', program)
  const flags = ['--experimental-vm-modules', '--no-warnings']
  return JSON.parse(await project().run('runner.mjs', { flags, args: [baseUrl] }))
}

test('a world without Node is what the program runs in', async () => {
  const program = `export const result = [typeof process, typeof Buffer, typeof require, typeof fetch]`
  assert.deepEqual(await runOutsideNode(program), ['undefined', 'undefined', 'undefined', 'function'])
})

test('calls, retries and refusals need only fetch', async (t) => {
  const { url, received } = await serve(
    t,
    drop,
    answered,
    refuse(422, 'ValidationError', { fields: [{ path: 'code', message: 'digits' }] }),
  )
  const program = `
    import { Countersign, ValidationError } from '@countersign/node'
    const { otp } = new Countersign('otp_sk_a', { baseUrl })
    const { otpId } = await otp.send({ recipient: '+447400123456' })
    const refused = await otp.verify({ otpId, code: 'x' }).catch((error) => error)
    export const result = [otpId, refused instanceof ValidationError, refused.fields]
  `
  const fields = [{ path: 'code', message: 'digits' }]
  assert.deepEqual(await runOutsideNode(program, url), ['otp_1', true, fields])
  assert.equal(received.length, 3)
})

test('webhooks need only Web Crypto, and take bytes of another realm', async () => {
  const program = `
    import { webhooks, WebhookVerificationError } from '@countersign/node'
    const event = { id: 'evt_1', type: 'otp.approved', payload: { otpId: 'otp_1', status: 'approved' } }
    const { rawBody, headers } = await webhooks.signTestPayload({ secret: 'whsec_a', event })
    const reasonOf = (error) => error instanceof WebhookVerificationError && error.reason
    export const result = [
      await webhooks.verify(rawBody, headers, 'whsec_a'),
      await webhooks.verify(rawBody + ' ', headers, 'whsec_a').catch(reasonOf),
      await webhooks.verify(outerBytes, headers, 'whsec_a').catch(reasonOf),
      await webhooks.verify(outerBytes.buffer, headers, 'whsec_a').catch(reasonOf),
    ]
  `
  const event = { id: 'evt_1', type: 'otp.approved', payload: { otpId: 'otp_1', status: 'approved' } }
  assert.deepEqual(await runOutsideNode(program), [event, 'mismatch', 'mismatch', 'mismatch'])
})
