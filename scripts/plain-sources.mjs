/**
 * The sources and tests as plain JavaScript, file by file, in their own folder. Node 20 reads TypeScript only through a
 * loader, which takes longer than most test files: here every file is translated once for a whole run.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesUnder, root } from './prepare.mjs'

const folders = ['bench', 'contract', 'dashboard', 'e2e', 'examples', 'sdks', 'server', 'simulator', 'site']
/** As in the package.json of the dashboard and of the contract. */
const imports = { '#components/': 'dashboard/src/components/', '#lib/': 'dashboard/src/lib/' }
const files = {
  '#contract': 'dashboard/vite/contract-values.ts',
  '@countersign/contract': 'contract/src/index.ts',
  '@countersign/contract/bodies': 'contract/src/bodies.ts',
  '@countersign/contract/words': 'contract/src/sentences/decision-words.ts',
}

/**
 * All of them if `wanted` is null, or these with what they import. Resolves with their folder and with `remove`, which
 * deletes it.
 */
export async function writePlainSources(wanted) {
  const { build } = await import('esbuild')
  mkdirSync(join(root, '.cache'), { recursive: true })
  const outdir = mkdtempSync(join(root, '.cache', 'plain-'))
  const remove = () => rmSync(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: wanted ? withImports(wanted) : folders.flatMap((folder) => sourcesUnder(join(root, folder))),
    outdir,
    outbase: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [fileByFile(outdir)],
  }).catch((error) => {
    remove()
    throw error
  })
  for (const folder of folders) linkOwnPackages(folder, outdir)
  return { folder: outdir, remove }
}

/** For a folder that needs another version of a package than the rest. */
function linkOwnPackages(folder, outdir) {
  const own = join(root, folder, 'node_modules')
  const written = join(outdir, folder)
  if (existsSync(own) && existsSync(written)) symlinkSync(own, join(written, 'node_modules'), 'dir')
}

export const plainName = (file) => file.replace(/\.ts$/, '.js')

/** The time limit of a file and of each of its tests: whatever takes longer hangs, however busy the machine is. */
const longestMs = 30 * 60_000

/**
 * One program for the files of a group; each of them has its own set-up, as if it ran alone. Programs with a `pool` have
 * the same files, and each file is run by the program that comes to it first, so all of them are done at about the same
 * time, however long each file takes.
 */
export function writeGroup(folder, { files, atOnce, pool }) {
  const paths = files.map((file) => join(folder, plainName(file)))
  const program = paths[0].replace(/\.test\.js$/, pool ? `.group-${pool.place}.js` : '.group.js')
  const suites = files.map((file, index) => {
    const module = JSON.stringify(`./${relative(dirname(program), paths[index])}`)
    // Tests of a file run one after the other unless it says otherwise: without this they would run like files.
    const options = `{ concurrency: 1, timeout: ${longestMs} }`
    return `describe(${JSON.stringify(file)}, ${options}, () => import(${module}).finally(filesOfTests.end))`
  })
  const begin = 'filesOfTests.begin()'
  const taken = pool && join(folder, `taken-${pool.name}`)
  if (taken) mkdirSync(taken, { recursive: true })
  const ifFirst = (index) =>
    taken ? `if (filesOfTests.isFirst(${JSON.stringify(join(taken, String(index)))})) ` : ''
  // Without sharing, a file is loaded only when the last one is done: some read the clock when they are loaded.
  const lines = atOnce
    ? [
        ...files.map(() => begin),
        `await describe('files that share what they open', { concurrency: ${atOnce} }, () => {`,
        ...suites,
        '})',
      ]
    : suites.map((suite, index) => `${ifFirst(index)}{ ${begin}; await ${suite} }`)
  const whole = ["import { describe } from 'node:test'", ...lines, 'filesOfTests.allDone()', '']
  writeFileSync(program, whole.join('\n'))
  return program
}

const sourcesUnder = (folder) => filesUnder(folder).filter((path) => /(?<!\.d)\.ts$/.test(path))

/** To translate all of them takes longer than most tests of a single file. */
function withImports(files) {
  const found = new Set(files.map((file) => join(root, file)))
  for (const file of found) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)) {
      const source = sourceOf(path, file)
      if (source !== null && extname(source) === '.ts' && existsSync(source)) found.add(source)
    }
  }
  return [...found]
}

/** Without bundling: a file has the same imports, and `import.meta` says the place of its source. */
const fileByFile = (outdir) => ({
  name: 'file by file',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return
      const source = sourceOf(path, importer)
      if (source === null) return { path, external: true }
      if (extname(source) !== '.ts') return { path: pathToFileURL(source).href, external: true }
      const from = join(outdir, relative(root, dirname(importer)))
      const to = relative(from, join(outdir, plainName(relative(root, source))))
      return { path: to.startsWith('.') ? to : `./${to}`, external: true }
    })
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      // Put on the first line, so that all other lines keep their numbers.
      const place = { url: pathToFileURL(path).href, dirname: dirname(path) }
      // A line that says what runs a file may only stand first.
      const contents = readFileSync(path, 'utf8').replace(/^#!/, '//')
      return { contents: `Object.assign(import.meta, ${JSON.stringify(place)});${contents}`, loader: 'ts' }
    })
  },
})

/** Null if the import is a package. */
function sourceOf(path, importer) {
  if (path in files) return join(root, files[path])
  for (const [prefix, folder] of Object.entries(imports)) {
    if (path.startsWith(prefix)) return join(root, folder, path.slice(prefix.length))
  }
  return path.startsWith('.') ? resolve(dirname(importer), path) : null
}
