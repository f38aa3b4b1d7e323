/** What `npm test` makes of test files that are not there, and of those that share a process. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const scripts = new URL('../../scripts/', import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'test-programs-'))
after(() => rmSync(folder, { recursive: true }))
/** The runner would take a program with this for one of its own tests. */
const { NODE_TEST_CONTEXT: _, ...environment } = process.env
const run = (args: readonly string[], env = environment) =>
  spawnSync(process.execPath, args, { env, encoding: 'utf8' })

writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
const names = ['one', 'two', 'three']
const ending = `import { test } from 'node:test'
test('that ends its program', () => { if (process.env.ENDED_BY === import.meta.url.split('/').at(-1)) process.exit(0) })`
for (const name of names) writeFileSync(join(folder, `${name}.test.js`), ending)

/** Runs all files in programs that share them in one of these ways; one of the files may end its program. */
function runShared(ways: readonly object[], endedBy = ''): number | null {
  const write = `import { writeGroup } from '${new URL('plain-sources.mjs', scripts)}'
    const files = ${JSON.stringify(names.map((name) => `${name}.test.ts`))}
    const programs = ${JSON.stringify(ways)}.map((way) => writeGroup(${JSON.stringify(folder)}, { files, ...way }))
    console.log(JSON.stringify(programs))`
  const written = run(['--input-type=module', '--eval', write])
  assert.equal(written.status, 0, written.stderr)
  const follow = new URL('follow-tests.mjs', scripts).href
  const runner = fileURLToPath(new URL('run-tests.mjs', scripts))
  const lanes = JSON.stringify([{ atOnce: 2, files: JSON.parse(written.stdout) }])
  return run(['--import', follow, runner, lanes], { ...environment, ENDED_BY: endedBy }).status
}

/** Two programs, of which each takes the next file. */
const poolFor = (name: string) => [0, 1].map((place) => ({ pool: { name, place } }))

describe('files that share a process', () => {
  for (const [what, waysFor] of [
    ['one after the other', () => [{}]],
    ['at once', () => [{ atOnce: 2 }]],
    ['two processes', poolFor],
  ] as const)
    it(`pass only if all of them were run to their end: ${what}`, () => {
      assert.equal(runShared(waysFor('none')), 0)
      for (const name of names) assert.equal(runShared(waysFor(name), `${name}.test.js`), 1, name)
    })
})

describe('files that are named', () => {
  it('are all there, or one line says which are not, and nothing begins', () => {
    const named = [join(folder, 'one.test.js'), join(folder, 'four.test.js'), folder]
    const { status, stdout, stderr } = run([fileURLToPath(new URL('test.mjs', scripts)), ...named])
    assert.equal(status, 2)
    assert.match(stderr, /^There is no file \S+four\.test\.js, \S+\.\n$/)
    assert.equal(stdout, '')
  })
})
