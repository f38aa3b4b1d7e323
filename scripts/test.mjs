/**
 * `npm test`: everything that is checked, from a fresh clone. Arguments name test files to run alone; for those only
 * what they need is built and started.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { folderForDatabases } from './folder-in-memory.mjs'
import { plainName, writeGroup, writePlainSources } from './plain-sources.mjs'
import { prepare, root } from './prepare.mjs'
import { whileStoppable } from './stoppable.mjs'
import { needsBuild, needsDatabase, planNamed, planWhole } from './test-files.mjs'

const named = process.argv.slice(2).map((file) => relative(root, resolve(file)))
const unknown = named.filter((file) => !statSync(join(root, file), { throwIfNoEntry: false })?.isFile())
if (unknown.length > 0) {
  console.error(`There is no file ${unknown.join(', ')}.`)
  process.exit(2)
}
const isWhole = named.length === 0
const lanes = isWhole ? planWhole() : planNamed(named)
const files = lanes.flatMap(({ groups }) => groups.flatMap((group) => group.files))

const isBuilt = isWhole || files.some(needsBuild)
/** They start no programs of ours that would have to be translated too. */
const areUnits = !isBuilt && !files.some(needsDatabase)

if (isWhole) compileGo()
await whileStoppable(1, () => prepare({ isBuilt }))

/** Not waited for: what it has not compiled when its test begins is compiled then. */
function compileGo() {
  // In a process group of its own, with which all that it has started can be ended.
  const options = { cwd: root, stdio: 'ignore', detached: true }
  const program = spawn(process.execPath, ['scripts/compile-go.mjs'], options)
  program.unref()
  process.on('exit', () => {
    if (program.exitCode !== null || program.signalCode !== null) return
    try {
      process.kill(-program.pid)
    } catch {
      // It has ended just now.
    }
  })
}

const children = new Set()
let isStopping = false
function stop(signal) {
  if (!isStopping) for (const child of children) child.kill(signal)
  isStopping = true
}
// What was started is stopped first, whatever asks us to end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))

/** Resolves with whether it ended well. */
function runNode(args, env = process.env) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
  children.add(child)
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      children.delete(child)
      resolve(code === 0)
    })
  })
}

/** Runs beside the tests; if it fails, they are ended. */
async function check() {
  const isGood = await runNode(['scripts/check.mjs'])
  if (!isGood) stop('SIGTERM')
  return isGood
}

process.env.FOLDER_FOR_DATABASES ??= folderForDatabases()

const closers = []
async function end(code) {
  for (const close of closers.reverse()) await close()
  process.exit(code)
}

const checked = isWhole ? check() : true
const plain = await writePlainSources(areUnits ? files : null).catch((error) => {
  // Ctrl-C also ends the program that translates, and its error is expected then.
  if (!isStopping) throw error
  return end(1)
})
closers.push(plain.remove)
if (isStopping) await end(1)
const importPlain = (file) => import(pathToFileURL(join(plain.folder, plainName(file))).href)

async function startDatabase() {
  console.log('· starting PostgreSQL for the tests')
  const { startThrowawayDatabase } = await importPlain('server/src/platform/embedded-database.ts')
  const database = await startThrowawayDatabase(process.env.FOLDER_FOR_DATABASES)
  closers.push(database.close)
  return { TEST_DATABASE_URL: database.url }
}

/** One first start for all files: each begins with a copy of the folder that it made. */
async function prepareFolder() {
  console.log('· preparing a folder for the services that tests start')
  const { prepareDataDir, removeDataDir } = await importPlain('e2e/harness/process.ts')
  const folder = await prepareDataDir()
  closers.push(() => removeDataDir(folder))
  return { PREPARED_DATA_DIR: folder }
}

/** Unpacked before the files that use it start, since each would unpack its own. */
async function findBrowser() {
  const { findChromium } = await importPlain('e2e/harness/chromium.ts')
  await findChromium()
}

function checkStatements(folder) {
  const args = ['--import', 'tsx', 'server/scripts/check-statements.ts', folder]
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
}

// The statements of all processes are checked when all are done.
const kept = process.env.KEEP_STATEMENTS
if (kept) mkdirSync(kept, { recursive: true })
const statements = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'countersign-statements-'))
if (!kept) closers.push(() => rmSync(statements, { recursive: true, force: true }))
// Tests here start their own service, so BASE_URL, which names a running one, is not passed on.
const { BASE_URL: _, ...environment } = process.env
const started = await Promise.all([
  files.some(needsDatabase) ? startDatabase() : {},
  files.filter(needsBuild).length > 1 ? prepareFolder() : {},
  isWhole ? findBrowser() : {},
]).catch(async (error) => {
  console.error(error)
  await end(1)
})
if (isStopping) await end(1)

const inProcesses = lanes.map(({ atOnce, groups }) => ({
  atOnce,
  // A file that was named is run as it is, and the runner follows all of it.
  files: groups.map((group) =>
    isWhole ? writeGroup(plain.folder, group) : join(plain.folder, plainName(group.files[0])),
  ),
}))
/**
 * A test process ends before early optimisation pays off, and most of its memory is garbage: these options save a twelfth
 * of its processor time. Node refuses to start with an option that it does not know, and 22 no longer knows the last one.
 */
const options = ['--enable-source-maps', '--max-semi-space-size=32', '--interrupt-budget=300000'].filter(
  (option) => spawnSync(process.execPath, [option, '--version']).status === 0,
)
const followTests = ['--import', pathToFileURL(join(root, 'scripts/follow-tests.mjs')).href]
const passed = await runNode(
  [...options, ...followTests, 'scripts/run-tests.mjs', JSON.stringify(inProcesses)],
  {
    ...environment,
    ...Object.assign({}, ...started),
    STATEMENTS_DIR: statements,
    ...(areUnits ? {} : { PLAIN_SOURCES: plain.folder }),
    ...(isBuilt ? { BUILT_CLI: join(root, 'server/dist/cli.js') } : {}),
  },
)
const isHeld = passed && (!isWhole || checkStatements(statements))
await end((await checked) && isHeld ? 0 : 1)
