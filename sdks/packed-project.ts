/** A fresh project outside the repository with a packed package installed, for the tests of both packages. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')))

export interface PackedProject {
  readonly files: readonly string[]
  readonly dependencies: Readonly<Record<string, string>>
  readonly path: (file: string) => string
  readonly write: (file: string, text: string) => Promise<void>
  /** What the program prints. */
  readonly run: (file: string) => Promise<string>
  /** Strictly, and with the declarations of the package checked too. */
  readonly compile: (files: readonly string[], options?: Readonly<Record<string, unknown>>) => Promise<void>
}

export async function installPacked(t: TestContext, folder: string): Promise<PackedProject> {
  const root = await mkdtemp(join(tmpdir(), 'countersign-packed-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const npm = async (cwd: string, ...args: string[]) => (await execute('npm', args, { cwd })).stdout
  await execute(process.execPath, ['build.mjs'], { cwd: folder })
  // The scripts are not run: npm would look for the tools in a workspace that may not be set up.
  const packed = await npm(folder, 'pack', '--json', '--ignore-scripts', '--pack-destination', root)
  const [tarball] = JSON.parse(packed) as { name: string; filename: string; files: { path: string }[] }[]
  assert.ok(tarball)

  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
  await write('package.json', '{ "name": "project", "private": true }')
  await npm(root, 'install', '--offline', '--no-audit', '--no-fund', '--omit=peer', `./${tarball.filename}`)
  const manifest = await readFile(join(root, 'node_modules', tarball.name, 'package.json'), 'utf8')
  return {
    files: tarball.files.map(({ path }) => path).sort(),
    dependencies: JSON.parse(manifest).dependencies ?? {},
    path: (file) => join(root, file),
    write,
    run: async (file) => (await execute(process.execPath, [file], { cwd: root })).stdout,
    compile: async (files, options = {}) => {
      const compilerOptions = {
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2022',
        lib: ['es2022', 'dom'],
        types: [],
        module: 'nodenext',
        ...options,
      }
      await write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
      await execute(process.execPath, [compiler, '-p', root], { cwd: root }).catch((error) =>
        assert.fail(`${error.stdout}${error.stderr}`),
      )
    },
  }
}
