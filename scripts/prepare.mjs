/** Makes a clone ready to run: installs with the lock file, builds what is missing. Plain Node, no packages. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from './stoppable.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
const neededNode = [20, 19]

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > neededNode[0] || (major === neededNode[0] && minor >= neededNode[1])) return
  console.error(`Countersign needs Node ${neededNode.join('.')} or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

/** Runs `make` unless nothing that it depends on has changed since it last succeeded. */
async function once(stamp, state, line, make) {
  const file = join(root, stamp)
  if (existsSync(file) && readFileSync(file, 'utf8') === state) return
  // Not where a command prints its answer, which a script may read.
  console.error(`· ${line}`)
  await make()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, state)
}

async function run(command, args) {
  const code = await runProgram(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (code === 0) return
  console.error(`"${[command, ...args].join(' ')}" failed; run it by itself to see why.`)
  process.exit(1)
}

/** Other optional packages are for other machines. */
const isForHere = ({ optional, os, cpu, libc }) =>
  !optional || (os?.includes(process.platform) && cpu?.includes(process.arch) && !libc)

/** Whether somebody has run `npm ci` by hand: npm keeps a list of what it has installed. */
function isInstalledByHand(lock) {
  const list = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(list)) return false
  const { packages } = JSON.parse(readFileSync(list, 'utf8'))
  const { '': _, ...wanted } = JSON.parse(lock).packages
  return Object.entries(wanted).every(
    ([path, entry]) => !isForHere(entry) || (packages[path] && packages[path].integrity === entry.integrity),
  )
}

function installed() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  if (isInstalledByHand(lock)) return
  const state = createHash('sha256').update(lock).update(process.version).digest('hex')
  return once(
    'node_modules/.countersign-installed',
    state,
    'installing packages (a minute or so, once)',
    () => {
      // npm gives its own path to the scripts that it runs; otherwise it is looked for on the path.
      const npm = process.env.npm_execpath
      // No package needs its install scripts. Not set in .npmrc, where it would also keep `npm pack` from building.
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
      return npm?.endsWith('.js') ? run(process.execPath, [npm, ...args]) : run('npm', args)
    },
  )
}

/** What is installed or made there is passed over. */
const passedOver = new Set(['node_modules', 'dist', '.cache'])

export function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return passedOver.has(entry.name) ? [] : filesUnder(path)
  })
}

/** A hash over names, sizes and times of files, which changes when any of them does. */
function stateOf(...paths) {
  const full = paths.map((path) => join(root, path))
  const files = full.flatMap((path) => (statSync(path).isDirectory() ? filesUnder(path) : [path]))
  const hash = createHash('sha256')
  for (const path of files.sort()) {
    const { size, mtimeMs } = statSync(path)
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function built() {
  const dashboard = ['src', 'public', 'vite', 'index.html', 'package.json', 'vite.config.ts']
  const state = stateOf(
    ...['contract/src', 'server/src', 'simulator/src', 'scripts', 'site/src', 'docs'],
    ...dashboard.map((path) => `dashboard/${path}`),
  )
  return once('server/dist/.built', state, 'building', () => run(process.execPath, ['scripts/build.mjs']))
}

function builtSdks() {
  // Outside the libraries' folders, which are packed as they are.
  const stamp = 'sdks/.cache/built'
  const libraries = ['sdks/node', 'sdks/web', 'sdks/react']
  const isThere = libraries.every((folder) => existsSync(join(root, folder, 'dist')))
  if (!isThere) rmSync(join(root, stamp), { force: true })
  const sources = libraries.map((folder) => `${folder}/src`)
  return once(stamp, stateOf(...sources, 'scripts'), 'building the libraries', () =>
    run(process.execPath, ['scripts/build-sdks.mjs']),
  )
}

export async function prepare({ isBuilt = true } = {}) {
  assertNode()
  await installed()
  if (!isBuilt) return
  await built()
  await builtSdks()
}
