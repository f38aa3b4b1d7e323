/** What a clone prints while it makes itself ready. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const clone = mkdtempSync(join(tmpdir(), 'prepare-'))
after(() => rmSync(clone, { recursive: true }))

it('what a command prints is its answer alone, also where the clone has to be made ready first', () => {
  mkdirSync(join(clone, 'scripts'))
  for (const name of ['prepare.mjs', 'stoppable.mjs']) {
    const file = new URL(`../../scripts/${name}`, import.meta.url)
    cpSync(fileURLToPath(file), join(clone, 'scripts', name))
  }
  for (const name of ['package-lock.json', 'npm.js']) writeFileSync(join(clone, name), '')
  const command = `import { prepare } from './scripts/prepare.mjs'
    await prepare({ isBuilt: false })
    console.log('the answer')`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', command], {
    cwd: clone,
    env: { ...process.env, npm_execpath: join(clone, 'npm.js') },
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  assert.match(stderr, /^· installing packages/)
  assert.equal(stdout, 'the answer\n')
})
