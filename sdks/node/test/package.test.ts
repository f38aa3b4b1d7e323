/** The packed package, as npm would publish it, in a project of its own. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cloneFresh, usePackedNode } from '../../packed-project.ts'
import { assertHoldsWhatWasBuilt, assertPublishable, assertTypesFit } from '../../published.ts'
import { version } from '../src/version.ts'

const signsAndVerifies = `
  const { rawBody, headers } = await webhooks.signTestPayload({
    secret: 'whsec_a', event: { id: 'evt_1', type: 'otp.approved', payload: { otpId: 'otp_1', status: 'approved' } },
  })
  const event = await webhooks.verify(rawBody, headers, 'whsec_a')
  console.log(typeof new Countersign('otp_sk_a').otp.send, event.payload.otpId)
`
const names = '{ Countersign, OtpNotPendingError, ResendCooldownError, webhooks }'
const typed = `
  export async function main(client: Countersign): Promise<string> {
    const { otpId } = await client.otp.send({ recipient: '+447400123456' })
    // @ts-expect-error the caller never names the channel
    await client.otp.send({ recipient: '+447400123456', channel: 'sms' })
    // @ts-expect-error a code is text: numbers lose their leading zeros
    await client.otp.verify({ otpId, code: 123456 })
    try {
      await client.otp.resend({ otpId, channel: 'telegram' })
    } catch (error) {
      if (error instanceof ResendCooldownError) return String(error.retryAfter.toFixed())
      if (error instanceof OtpNotPendingError && error.otpStatus === 'expired') return error.requestId
    }
    const event = await webhooks.verify('', { 'x-webhook-timestamp': '1' }, ['whsec_a'])
    if (event.type === 'delivery.failed') return event.payload.deliveryId
    // @ts-expect-error only deliveries have one
    return event.payload.deliveryId
  }
`
const typedWithPlatform = `
  const client = new Countersign('otp_sk_a', { fetch })
  const { signal } = new AbortController()
  export const found = client.otp.get('otp_1', { signal })
  export const event = webhooks.verify(new Uint8Array(), new Headers(), 'whsec_a')
  // @ts-expect-error a signal is not any object
  void client.otp.get('otp_1', { signal: {} })
`

test('the version that is sent is the version of the package', async () => {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  assert.equal(version, JSON.parse(manifest).version)
})

test('in a fresh clone npm pack builds what it packs, and after a change what changed', async () => {
  const clone = await cloneFresh()
  try {
    const first = await clone.pack()
    for (const file of ['dist/esm/index.js', 'dist/cjs/index.js', 'dist/esm/index.d.ts']) {
      assert.ok(first.includes(file), first.join(' '))
    }
    await clone.append('src/version.ts', "\nexport const changedAfterwards = 'changed afterwards'\n")
    await clone.append('src/index.ts', "\nexport { changedAfterwards } from './version.ts'\n")
    await clone.pack()
    assert.match(await clone.read('dist/esm/index.js'), /changed afterwards/)
  } finally {
    await clone.remove()
  }
})

describe('the packed package', () => {
  const use = usePackedNode()
  before(async () => {
    const project = use()
    await project.write('main.mts', `import ${names} from '@countersign/node'\n${typed}`)
    await project.write('platform.mts', `import ${names} from '@countersign/node'\n${typedWithPlatform}`)
    const required = `import sdk = require('@countersign/node')\nconst ${names} = sdk\n`
    await project.write(
      'main.cts',
      required + typed.replace('client: Countersign', 'client: sdk.Countersign'),
    )
    await project.write('bundled.ts', `import ${names} from '@countersign/node'\n${typed}`)
  })

  test('holds what was built, and needs nothing else', () => {
    const [{ files, dependencies } = assert.fail()] = use().packages
    assert.deepEqual(dependencies, {})
    assertHoldsWhatWasBuilt(files)
  })

  test('is found without fault by publint and by attw', async () => {
    const [{ tarball } = assert.fail()] = use().packages
    await Promise.all([assertPublishable(tarball), assertTypesFit(tarball)])
  })

  test('works from ES modules and from CommonJS', async () => {
    const project = use()
    await project.write(
      'main.mjs',
      `import { Countersign, webhooks } from '@countersign/node'\n${signsAndVerifies}`,
    )
    assert.equal(await project.run('main.mjs'), 'function otp_1\n')
    const required = `const { Countersign, webhooks } = require('@countersign/node')`
    await project.write('main.cjs', `${required}\n;(async () => {${signsAndVerifies}})()`)
    assert.equal(await project.run('main.cjs'), 'function otp_1\n')
  })

  test('has types for strict projects: with those of the DOM, with those of Node, and with neither', async () => {
    const project = use()
    await project.compile(['main.mts', 'main.cts', 'platform.mts'])
    const typeRoots = [fileURLToPath(new URL('..', import.meta.resolve('@types/node/package.json')))]
    const ofNode = { lib: ['es2022'], types: ['node'], typeRoots }
    await project.compile(['main.mts', 'main.cts', 'platform.mts'], ofNode)
    await project.compile(['main.mts', 'main.cts'], { lib: ['es2022'] })
    await project.compile(['bundled.ts'], { module: 'preserve', moduleResolution: 'bundler' })
  })
})
