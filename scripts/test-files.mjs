/** Which test files there are, what each of them needs, and in which order they take the least time. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './prepare.mjs'

/** Those that drive the whole service take longest, and so begin first. */
const folders = [
  'e2e',
  'examples/sign-up/test',
  'sdks/node/test',
  'sdks/web/test',
  'server/test',
  'simulator/test',
  'dashboard',
  'contract/src',
  'server/src',
]

/** They wait out what the interface promises, such as the minute that a token lives, and work little meanwhile. */
const waiting = [
  'examples/sign-up/test/sign-up.test.ts',
  'e2e/documents.test.ts',
  'e2e/interface/4-3-exchange.test.ts',
  'e2e/interface/8-limits.test.ts',
  'e2e/interface/6-4-retries.test.ts',
  'e2e/lifecycle.test.ts',
  'e2e/outcomes.test.ts',
]
/** One that waits begins with every so many that work, so that the processor is never idle and never crowded. */
const workingPerWaiting = 6

const isUnder = (file, names) => names.some((name) => file.startsWith(`${name}/`))
/** They drive what is built: the service, the dashboard, the libraries; and start it on folders of their own. */
export const needsBuild = (file) => isUnder(file, ['e2e', 'examples', 'sdks'])
export const needsDatabase = (file) => isUnder(file, ['server/test'])

export function everyTestFile() {
  const found = folders.flatMap((folder) => testsUnder(join(root, folder)))
  const ordered = found.filter((file) => !waiting.includes(file))
  for (const [index, file] of waiting.filter((name) => found.includes(name)).entries()) {
    ordered.splice(index * workingPerWaiting, 0, file)
  }
  return ordered
}

function testsUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return testsUnder(path)
    return entry.name.endsWith('.test.ts') ? [relative(root, path)] : []
  })
}
