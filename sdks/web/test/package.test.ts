/** The packed package, as npm would publish it, in a project of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { installPacked } from '../../packed-project.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
const largestCoreBytes = 5_000

/** As much of React as the hook calls, for one component that renders when asked to. */
const tinyReact = `
  let kept
  exports.useState = (create) => [(kept ??= { value: create() }).value, () => undefined]
  exports.useSyncExternalStore = (subscribe, get) => { exports.subscribe = subscribe; return get() }
`

test('the packed package works from ES modules, CommonJS and strict TypeScript, is small, and needs nothing else', async (t) => {
  const project = await installPacked(t, folder)
  assert.deepEqual(project.dependencies, {})
  assert.deepEqual(
    project.files.filter(
      (file) => !/^(dist\/(esm|cjs)\/[a-z-]+\.(js|d\.ts)|dist\/cjs\/package\.json)$/.test(file),
    ),
    // The last one is for bundlers that do not read `exports`, such as those of older React Native.
    ['LICENSE', 'README.md', 'package.json', 'react/package.json'],
  )

  const use = `console.log(createVerification({ key: 'otp_pk_a', baseUrl: 'https://a.example' }).getState().phase)`
  await project.write('main.mjs', `import { createVerification } from '@countersign/web'\n${use}`)
  assert.equal(await project.run('main.mjs'), 'idle\n')
  await project.write('main.cjs', `const { createVerification } = require('@countersign/web')\n${use}`)
  assert.equal(await project.run('main.cjs'), 'idle\n')

  const typed = `
    const verification = createVerification({ key: 'otp_pk_a', baseUrl: 'https://a.example' })
    export async function main(): Promise<string | null> {
      await verification.start('+447400123456', { locale: 'en' })
      // @ts-expect-error there is no such channel
      await verification.resend({ channel: 'pigeon' })
      // @ts-expect-error states are not written to
      verification.getState().phase = 'verified'
      const { phase, verificationToken } = await verification.verify('123456')
      return phase === 'verified' ? verificationToken : null
    }
    export function Screen(): string {
      const { phase, resendIn, start, openWhatsApp } = useVerification({ key: 'otp_pk_a', baseUrl: '' })
      return phase + resendIn + typeof start + typeof openWhatsApp
    }
  `
  const imports = `
    import { createVerification } from '@countersign/web'
    import { useVerification } from '@countersign/web/react'
  `
  await project.write('main.mts', imports + typed)
  await project.write(
    'main.cts',
    `import core = require('@countersign/web')\nimport react = require('@countersign/web/react')
    const { createVerification } = core\nconst { useVerification } = react\n${typed}`,
  )
  await project.compile(['main.mts', 'main.cts'])
  await project.write('bundled.ts', imports + typed)
  await project.compile(['bundled.ts'], { module: 'preserve', moduleResolution: 'bundler' })

  await t.test('the hook gives the state and the actions, and shares the core', async () => {
    await project.write('node_modules/react/package.json', '{ "name": "react", "main": "index.js" }')
    await project.write('node_modules/react/index.js', tinyReact)
    const render = `
      const render = () => useVerification({ key: 'otp_pk_a', baseUrl: 'http://127.0.0.1:9' })
      const first = render()
      react.subscribe(() => { const { phase } = render(); console.log(phase); if (phase === 'idle') process.exit() })
      console.log(first.phase, Object.keys(first).filter((name) => typeof first[name] === 'function').join())
      const starting = first.start('+447400123456')
      first.reset()
    `
    const printed = 'idle start,resume,resend,verify,openWhatsApp,refresh,reset\nsending\nidle\n'
    await project.write(
      'hook.mjs',
      `import react from 'react'\nimport { useVerification } from '@countersign/web/react'\n${render}`,
    )
    assert.equal(await project.run('hook.mjs'), printed)
    await project.write(
      'hook.cjs',
      `const react = require('react')\nconst { useVerification } = require('@countersign/web/react')\n${render}`,
    )
    assert.equal(await project.run('hook.cjs'), printed)
  })

  await t.test('the core is under 5 KB, minified and gzipped', async () => {
    const { outputFiles } = await build({
      entryPoints: [project.path('node_modules/@countersign/web/dist/esm/index.js')],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
    t.diagnostic(`${bytes} bytes`)
    assert.ok(bytes > 0 && bytes < largestCoreBytes, `${bytes} bytes`)
  })
})
