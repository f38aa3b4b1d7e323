/** Which test files there are, what each of them needs, and how they are grouped so that a run takes the least time. */
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { filesUnder, root } from './prepare.mjs'

const folders = ['e2e', 'examples', 'sdks', 'server', 'simulator', 'dashboard', 'contract', 'site']

/** These mostly wait, for example for the minute that a token lives. */
const waiting = [
  { folder: 'e2e/interface', atOnce: 5, first: ['4-3-exchange', '8-limits', '6-4-retries'] },
  { file: 'examples/sign-up/test/sign-up.test.ts' },
  { file: 'e2e/frozen.test.ts' },
  { file: 'e2e/lifecycle.test.ts' },
  { file: 'e2e/stopping.test.ts' },
  { file: 'e2e/documents.test.ts' },
  // By itself, because a busy neighbour would keep it from answering before its deadlines.
  { file: 'server/src/platform/safe-post.test.ts' },
  {
    files: [
      'server/test/webhooks/pause.test.ts',
      'server/test/deliveries-handover.test.ts',
      'server/test/webhooks/management.test.ts',
      'server/test/trickling.test.ts',
      'server/test/embedded-database-hanging.test.ts',
      'server/test/embedded-database.test.ts',
    ],
    atOnce: 3,
  },
]
/** Waiting takes no processor, but waking up does. */
const waitingAtOnce = 2
/** More than there are processors, since each waits part of the time for a database, a carrier or a schedule. */
const workingAtOnce = availableParallelism() + 4

/**
 * The files of a folder share a process. With `atOnce` they are all loaded first and that many run at once: a service or a
 * browser is opened once for all of them. Without it each is loaded when the last one is done. With `processes` so many
 * share the files, and each takes the next file when it has run one. Those that take longest begin first.
 */
const working = [
  // It starts processes, and mostly waits for them.
  { file: 'server/test/faults/faults.test.ts' },
  { file: 'e2e/dashboard/pages.test.ts' },
  { folder: 'e2e/dashboard', atOnce: 2 },
  // Some of them change the clock and the console of their process.
  { folder: 'sdks', atOnce: 1 },
  { file: 'e2e/secrecy.test.ts' },
  { folder: 'e2e', atOnce: 3 },
  {
    folder: 'server/test',
    processes: workingAtOnce,
    first: [
      'batches',
      'alerts-turns',
      'every-read',
      'audit-chain',
      'embedded-database-killed',
      'webhooks/nodes',
      'webhooks/addresses',
      'webhooks/schedule',
      'webhooks/cut-off',
      'webhooks/pace',
      'clock',
      'failover',
      'once',
      'billing',
      'deliveries-known',
      'deliveries',
      'foreign-ids',
    ],
  },
  { folder: 'simulator/test' },
  { folder: '.', processes: 3 },
]

/** Tests that drive the built service, dashboard and libraries, each on a folder of its own. */
export const needsBuild = (file) => ['e2e', 'examples', 'sdks'].some((folder) => isUnder(folder, file))
export const needsDatabase = (file) => isUnder('server/test', file)

/** Lanes that run at the same time; each is a list of groups, and a group is the files of one process. */
export function planWhole() {
  const rest = new Set(folders.flatMap((folder) => testsUnder(join(root, folder))))
  const groupsOf = (rules) => rules.flatMap((rule) => takeGroups(rest, rule))
  return [
    { atOnce: waitingAtOnce, groups: groupsOf(waiting) },
    { atOnce: workingAtOnce, groups: groupsOf(working) },
  ]
}

/** Files that were named: each by itself. */
export const planNamed = (files) => [
  { atOnce: availableParallelism() + 1, groups: files.map((file) => ({ files: [file] })) },
]

function takeGroups(rest, { file, files = [file], folder, processes, atOnce, first = [] }) {
  const placeOf = (each) => {
    const place = first.findIndex((name) => each === `${folder}/${name}.test.ts`)
    return place < 0 ? first.length : place
  }
  const taken = [...rest]
    .filter((each) => (folder ? isUnder(folder, each) : files.includes(each)))
    .sort((one, other) => placeOf(one) - placeOf(other))
  for (const each of taken) rest.delete(each)
  if (taken.length === 0) return []
  if (!processes) return [{ files: taken, atOnce }]
  return Array.from({ length: processes }, (_, place) => ({
    files: taken,
    pool: { name: folder.replace('/', '-'), place },
  }))
}

const isUnder = (folder, file) => folder === '.' || file.startsWith(`${folder}/`)

const testsUnder = (folder) =>
  filesUnder(folder)
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => relative(root, path))
