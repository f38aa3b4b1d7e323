/** A fresh project outside the repository with packed libraries installed, as npm would publish them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Shared } from '../e2e/harness/shared.ts'

const execute = promisify(execFile)
const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')))

export interface PackedProject {
  readonly packages: readonly PackedPackage[]
  readonly path: (file: string) => string
  readonly write: (file: string, text: string) => Promise<void>
  /** Runs a program and returns what it prints. */
  readonly run: (file: string, options?: { flags?: string[]; args?: string[] }) => Promise<string>
  /** Compiles strictly, and checks the declarations of the packages too. */
  readonly compile: (files: readonly string[], options?: Readonly<Record<string, unknown>>) => Promise<void>
  /** Gives the project a package that this repository has, as if it had installed it. */
  readonly lend: (...names: string[]) => Promise<void>
  readonly remove: () => Promise<void>
}

interface PackedPackage {
  readonly tarball: string
  readonly files: readonly string[]
  readonly dependencies: Readonly<Record<string, string>>
}

export async function installPacked(...names: ('node' | 'web' | 'react')[]): Promise<PackedProject> {
  const root = await mkdtemp(join(tmpdir(), 'countersign-packed-'))
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
  await write('package.json', '{ "name": "project", "private": true }')
  const packed = await Promise.all(names.map((name) => pack(name, root)))
  const tarballs = packed.map(({ filename }) => `./${filename}`)
  // Peer dependencies are not resolved, so that npm's cache needs only the packages of the lock file.
  await npm(root, 'install', '--offline', '--no-audit', '--no-fund', '--legacy-peer-deps', ...tarballs)
  return {
    packages: await Promise.all(packed.map((one) => describePackage(root, one))),
    path: (file) => join(root, file),
    write,
    run: async (file, { flags = [], args = [] } = {}) =>
      (await execute(process.execPath, [...flags, file, ...args], { cwd: root })).stdout,
    compile: async (files, options = {}) => {
      const compilerOptions = { ...strictest, ...options }
      await write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
      await execute(process.execPath, [compiler, '-p', root, '--singleThreaded'], { cwd: root }).catch(
        (error) => assert.fail(`${error.stdout}${error.stderr}`),
      )
    },
    lend: async (...lent) => {
      for (const name of lent) {
        // Not every package exports its package.json, by which it could be found.
        const source = fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url))
        const target = join(root, 'node_modules', name)
        await mkdir(dirname(target), { recursive: true })
        await symlink(source, target)
      }
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

const alone = (name: 'node' | 'web') =>
  new Shared({ open: () => installPacked(name), close: ({ remove }) => remove() })
const nodeAlone = alone('node')
const webAlone = alone('web')

/** A project with only the Node library; test files of one process share it. */
export const usePackedNode = () => nodeAlone.use()

/** A project with only the library for browsers. */
export const usePackedWeb = () => webAlone.use()

/** A fresh clone without built files, with what is needed to pack the Node library. */
export async function cloneFresh() {
  const root = await mkdtemp(join(tmpdir(), 'countersign-clone-'))
  const house = fileURLToPath(new URL('..', import.meta.url))
  const built = new Set(['dist', '.cache', 'node_modules'])
  const filter = (path: string) => !built.has(basename(path))
  for (const part of ['package.json', '.npmrc', 'tsconfig.json', 'scripts', 'contract', 'sdks']) {
    await cp(join(house, part), join(root, part), { recursive: true, filter })
  }
  await symlink(join(house, 'node_modules'), join(root, 'node_modules'))
  const folder = join(root, 'sdks/node')
  return {
    pack: async (): Promise<string[]> => {
      const printed = await npm(folder, 'pack', '--json', '--pack-destination', root)
      // The output of the build comes first.
      const [packed] = JSON.parse(printed.slice(printed.search(/^\[/m))) as Packed[]
      return packed?.files.map(({ path }) => path) ?? []
    },
    append: (file: string, text: string) => appendFile(join(folder, file), text),
    read: (file: string) => readFile(join(folder, file), 'utf8'),
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

const strictest = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  module: 'nodenext',
}

const npm = async (cwd: string, ...args: string[]) => (await execute('npm', args, { cwd })).stdout

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Packs what was built before the tests began: building here would disturb other tests that pack it too. */
async function pack(name: string, into: string): Promise<Packed> {
  const folder = fileURLToPath(new URL(name, import.meta.url))
  const printed = await npm(folder, 'pack', '--json', '--ignore-scripts', '--pack-destination', into)
  const [packed] = JSON.parse(printed) as Packed[]
  assert.ok(packed)
  return packed
}

async function describePackage(root: string, { name, filename, files }: Packed): Promise<PackedPackage> {
  const manifest = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')
  return {
    tarball: join(root, filename),
    files: files.map(({ path }) => path).sort(),
    dependencies: JSON.parse(manifest).dependencies ?? {},
  }
}
