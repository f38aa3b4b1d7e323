/** The packed package, as npm would publish it, in a project of its own. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { usePackedWeb } from '../../packed-project.ts'
import { assertHoldsWhatWasBuilt, assertPublishable, assertTypesFit } from '../../published.ts'

const largestCoreBytes = 5_000
const printsPhase = `console.log(createVerification({ key: 'otp_pk_a', baseUrl: 'https://a.example' }).getState().phase)`
const imports = `import { createVerification } from '@countersign/web'\n`
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
`

describe('the packed package', () => {
  const use = usePackedWeb()
  before(async () => {
    const project = use()
    await project.write('main.mts', imports + typed)
    await project.write(
      'main.cts',
      `import core = require('@countersign/web')\nconst { createVerification } = core\n${typed}`,
    )
    await project.write('bundled.ts', imports + typed)
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
    await project.write('main.mjs', `import { createVerification } from '@countersign/web'\n${printsPhase}`)
    assert.equal(await project.run('main.mjs'), 'idle\n')
    await project.write(
      'main.cjs',
      `const { createVerification } = require('@countersign/web')\n${printsPhase}`,
    )
    assert.equal(await project.run('main.cjs'), 'idle\n')
  })

  test('has types for strict projects, also for those without the types of the DOM', async () => {
    const project = use()
    await project.compile(['main.mts', 'main.cts'])
    const bundled = { module: 'preserve', moduleResolution: 'bundler' }
    await project.compile(['bundled.ts'], bundled)
    await project.compile(['bundled.ts'], { ...bundled, lib: ['es2022'] })
  })

  test('is under 5 KB, minified and gzipped', async (t) => {
    const { outputFiles } = await build({
      entryPoints: [use().path('node_modules/@countersign/web/dist/esm/index.js')],
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
