/** The packed package, as npm would publish it, in a project of its own. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { assertHoldsWhatWasBuilt, assertPublishable, assertTypesFit } from '../../published.ts'
import { useStage as openStage } from './stage.ts'

const stage = openStage()
const typed = `
  export function Screen(): string {
    const { phase, start, openWhatsApp } = useVerification({ key: 'otp_pk_a', baseUrl: '' })
    return phase + typeof start + typeof openWhatsApp
  }
  CodeInput({ length: 4, onComplete: (code: string) => code.length, className: 'code' })
  // @ts-expect-error what is told is text
  CodeInput({ onChange: (code: number) => code })
  // @ts-expect-error its type is its own
  CodeInput({ type: 'password' })
`

describe('the packed package', () => {
  test('holds what was built, and needs the web library alone', () => {
    const [, { files, dependencies } = assert.fail()] = stage().project.packages
    assert.deepEqual(Object.keys(dependencies), ['@countersign/web'])
    assertHoldsWhatWasBuilt(files)
  })

  test('is found without fault by publint and by attw', async () => {
    const [, { tarball } = assert.fail()] = stage().project.packages
    await Promise.all([assertPublishable(tarball), assertTypesFit(tarball)])
  })

  test('says to frameworks that its parts are for browsers, as an ES module and as CommonJS', async () => {
    const { project } = stage()
    for (const format of ['esm', 'cjs']) {
      const file = project.path(`node_modules/@countersign/react/dist/${format}/index.js`)
      assert.match(await readFile(file, 'utf8'), /^'use client';\n/)
    }
    await project.write('main.cjs', `console.log(Object.keys(require('@countersign/react')).join())`)
    assert.equal(await project.run('main.cjs'), 'CodeInput,CountersignError,useVerification\n')
  })

  test('has types for strict projects, both ways to import it, and for the screens of its tests', async () => {
    const { project } = stage()
    await project.write(
      'main.mts',
      `import { CodeInput, useVerification } from '@countersign/react'\n${typed}`,
    )
    await project.write(
      'main.cts',
      `import react = require('@countersign/react')\nconst { CodeInput, useVerification } = react\n${typed}`,
    )
    await project.compile(['main.mts', 'main.cts'], { skipLibCheck: true })
    const bundled = { module: 'preserve', moduleResolution: 'bundler', jsx: 'react-jsx' }
    await project.compile(['screen.tsx'], {
      ...bundled,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    })
  })

  test('renders on a server', async () => {
    const program = `
      import { createElement as make } from 'react'
      import { renderToString } from 'react-dom/server'
      import { CodeInput, useVerification } from '@countersign/react'
      const Screen = () => {
        const verification = useVerification({ key: 'otp_pk_a', baseUrl: 'http://127.0.0.1:9' })
        return make('p', {}, verification.phase, make(CodeInput, { verification, length: 4, id: 'code' }))
      }
      console.log(renderToString(make(Screen)))
    `
    await stage().project.write('server.mjs', program)
    const html = await stage().project.run('server.mjs')
    assert.match(html, /^<p>idle<input (?=.*pattern="\[0-9\]\{4\}")(?=.*id="code").*\/><\/p>\n$/)
  })
})
