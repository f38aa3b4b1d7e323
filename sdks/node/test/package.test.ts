/** The packed package, as npm would publish it, in a project of its own. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installPacked } from '../../packed-project.ts'
import { version } from '../src/version.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))

test('the version that is sent is the version of the package', async () => {
  assert.equal(version, JSON.parse(await readFile(`${folder}package.json`, 'utf8')).version)
})

test('the packed package works from ES modules, CommonJS and strict TypeScript, and needs nothing else', async (t) => {
  const project = await installPacked(t, folder)
  assert.deepEqual(project.dependencies, {})
  assert.deepEqual(
    project.files.filter(
      (file) => !/^(dist\/(esm|cjs)\/[a-z-]+\.(js|d\.ts)|dist\/cjs\/package\.json)$/.test(file),
    ),
    ['LICENSE', 'README.md', 'package.json'],
  )
  const use = `
    const { rawBody, headers } = await webhooks.signTestPayload({
      secret: 'whsec_a', event: { id: 'evt_1', type: 'otp.approved', payload: { otpId: 'otp_1', status: 'approved' } },
    })
    const event = await webhooks.verify(rawBody, headers, 'whsec_a')
    console.log(typeof new Countersign('otp_sk_a').otp.send, event.payload.otpId)
  `
  await project.write('main.mjs', `import { Countersign, webhooks } from '@countersign/node'\n${use}`)
  assert.equal(await project.run('main.mjs'), 'function otp_1\n')
  await project.write(
    'main.cjs',
    `const { Countersign, webhooks } = require('@countersign/node')\n;(async () => {${use}})()`,
  )
  assert.equal(await project.run('main.cjs'), 'function otp_1\n')

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
      const event = await webhooks.verify('', new Headers(), ['whsec_a'])
      if (event.type === 'delivery.failed') return event.payload.deliveryId
      // @ts-expect-error only deliveries have one
      return event.payload.deliveryId
    }
  `
  const names = '{ Countersign, OtpNotPendingError, ResendCooldownError, webhooks }'
  await project.write('main.mts', `import ${names} from '@countersign/node'\n${typed}`)
  await project.write(
    'main.cts',
    `import sdk = require('@countersign/node')\nconst ${names} = sdk\n${typed.replace('client: Countersign', 'client: sdk.Countersign')}`,
  )
  await project.compile(['main.mts', 'main.cts'])
  // A backend's usual project: the types of Node, and none of browsers.
  const typeRoots = [fileURLToPath(new URL('..', import.meta.resolve('@types/node/package.json')))]
  await project.compile(['main.mts', 'main.cts'], { lib: ['es2022'], types: ['node'], typeRoots })
  await project.write('bundled.ts', `import ${names} from '@countersign/node'\n${typed}`)
  await project.compile(['bundled.ts'], { module: 'preserve', moduleResolution: 'bundler' })
})
