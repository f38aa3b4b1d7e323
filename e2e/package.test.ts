/** The package that `npx countersign` starts: what it contains, and that it runs without the rest of the repository. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const scripts: { assemble: (folder: string) => { version: string; dependencies: Record<string, string> } } =
  await import(join(root, 'scripts/pack.mjs'))

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(path) : [path]
  })

describe('the package', () => {
  let folder = ''
  let packed = ''
  let manifest: ReturnType<typeof scripts.assemble>

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-package-'))
    packed = join(folder, 'node_modules/countersign')
    manifest = scripts.assemble(packed)
    // Instead of an installation: its dependencies, and nothing else of this repository.
    for (const name of Object.keys(manifest.dependencies)) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const countersign = (...words: string[]) =>
    promisify(execFile)(process.execPath, [join(packed, 'server/dist/cli.js'), ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATA_DIR: join(folder, 'data') },
    })

  it('has what was built, the migrations and the dashboard, and neither sources nor tests', () => {
    const files = filesUnder(packed).map((path) => relative(packed, path))
    for (const needed of [
      'package.json',
      'README.md',
      'LICENSE',
      'server/dist/cli.js',
      'server/migrations/0001_schema.sql',
      'dashboard/dist/index.html',
      'simulator/dist/main.js',
      'simulator/dist/page/index.html',
      'ops/prometheus/alerts.yaml',
    ])
      assert.ok(files.includes(needed), needed)
    assert.deepEqual(
      files.filter((path) => /\.(ts|tsx|map)$|(^|\/)(test|src|node_modules|\.env|\.data)(\/|$)/.test(path)),
      [],
    )
    const bytes = files.reduce((sum, path) => sum + statSync(join(packed, path)).size, 0)
    assert.ok(bytes < 25_000_000, `${bytes} bytes`)
  })

  it('imports nothing that is not inside, Node’s or among its dependencies, and keeps the notices of what is inside', () => {
    for (const program of ['server/dist', 'simulator/dist']) {
      const texts = readdirSync(join(packed, program))
        .filter((name) => name.endsWith('.js'))
        .map((name) => readFileSync(join(packed, program, name), 'utf8'))
      // A list of names may take many lines. `import()` may be anywhere; with single quotes it is a type in a comment.
      const imported = texts.flatMap((text) => [
        ...text.matchAll(/^(?:(?:import|export)\b[^'"\n]*|\} from )["']([^'".][^'"\n]*)["'];?$/gm),
        ...text.matchAll(/\bimport\("([^".][^"\n]*)"/g),
      ])
      const foreign = imported
        .map(([, library = '']) => library.replace(/^node:/, ''))
        .filter((library) => !isBuiltin(library) && !(library in manifest.dependencies))
      assert.ok(imported.length > 5)
      assert.deepEqual(foreign, [])
      assert.match(readFileSync(join(packed, program, 'notices.txt'), 'utf8'), /^== undici /m)
    }
  })

  it('runs where it is installed: its version, its help, and a doctor that says what is missing', async () => {
    assert.equal((await countersign('--version')).stdout.trim(), manifest.version)
    assert.equal((await countersign('rotate-data-key', '-v')).stdout.trim(), manifest.version)
    assert.match((await countersign('help')).stdout, /^countersign <command>/)
    const doctor = await countersign('doctor', '--json').catch(
      (error: { code: number; stdout: string }) => error,
    )
    assert.equal('code' in doctor ? doctor.code : 0, 3)
    assert.match(doctor.stdout, /No service is running on/)
    assert.ok(readFileSync(join(packed, 'server/dist/cli.js'), 'utf8').startsWith('#!/usr/bin/env node'))
  })
})
