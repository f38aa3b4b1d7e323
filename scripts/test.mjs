/** `npm test`: everything that is checked, from a fresh clone. Arguments name test files to run alone. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { prepare, root } from './prepare.mjs'
import { whileStoppable } from './stoppable.mjs'

await whileStoppable(1, prepare)
const { tsImport } = await import('tsx/esm/api')

const folders = [
  'contract/src',
  'server/src',
  'server/test',
  'simulator/test',
  'dashboard',
  'e2e',
  'sdks/node/test',
  'sdks/web/test',
  'examples/sign-up/test',
]
const concurrency = 2

function testsUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return testsUnder(path)
    return entry.name.endsWith('.test.ts') ? [relative(root, path)] : []
  })
}

function checkStatements() {
  const args = ['--import', 'tsx', 'server/scripts/check-statements.ts', statements]
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
}

const named = process.argv.slice(2)
if (named.length === 0) {
  const check = spawnSync(process.execPath, ['scripts/check.mjs'], { cwd: root, stdio: 'inherit' })
  if (check.status !== 0) process.exit(check.status ?? 1)
}

console.log('· starting PostgreSQL for the tests')
const { startThrowawayDatabase } = await tsImport(
  '../server/src/platform/embedded-database.ts',
  import.meta.url,
)
let child = null
let isStopping = false
// The database is stopped first, whatever asks us to end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (!isStopping) child?.kill(signal)
    isStopping = true
  })
}
const database = await startThrowawayDatabase()
if (isStopping) {
  await database.close()
  process.exit(1)
}
const files = named.length > 0 ? named : folders.flatMap((folder) => testsUnder(join(root, folder)))
// What every process has asked of the database is looked at when all are done.
const statements = mkdtempSync(join(tmpdir(), 'countersign-statements-'))
// Here the service is always one of our own, so BASE_URL, which names a running one, is not passed on.
const { BASE_URL: _, ...environment } = process.env
child = spawn(
  process.execPath,
  ['--import', 'tsx', '--test', `--test-concurrency=${concurrency}`, '--test-reporter=spec', ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...environment, TEST_DATABASE_URL: database.url, STATEMENTS_DIR: statements },
  },
)
child.on('exit', async (code) => {
  await database.close()
  const isKept = named.length > 0 || code !== 0 || checkStatements()
  rmSync(statements, { recursive: true, force: true })
  process.exit(isKept ? (code ?? 1) : 1)
})
