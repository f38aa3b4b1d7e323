/** What the service needs besides the database itself: keys, disk, partitions, workers, lists. */
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { loadReputation } from '../../domain/guard/index.ts'
import { readBacklog } from '../../domain/insight/index.ts'
import { ipListsFolder, masterKeysOf } from '../../platform/data-folder.ts'
import { isWrappedByFirst, loadKeyring } from '../../platform/data-keys.ts'
import { dayMs, readRoom } from '../../platform/partitions.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'
import { sayHeld, sayLate, sayRoom, sayWaiting } from './words.ts'

const leastFreeBytes = 1_000_000_000
const leastFreeShare = 0.05
const leastDays = 3
const longWaitSeconds = 60
const inGigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

export const checkMasterKey: Check = async ({ database, config }) => {
  const { rows } = await database.query({ text: 'select 1 from data_keys limit 1' })
  if (rows.length === 0)
    return [
      warning(
        'master key',
        'No data key is made yet.',
        'Start the service once, or run: countersign migrate',
      ),
    ]
  try {
    const masters = await masterKeysOf(config)
    await loadKeyring(database, masters)
    if (masters.secrets.length === 1) return [ok('master key', 'It opens the data keys.')]
    // Whoever takes the wrong key out of the list locks everybody out, and whoever destroys it loses what it protects.
    return [
      (await isWrappedByFirst(database, masters))
        ? ok(
            'master key',
            'The first of MASTER_KEY wraps all data keys. The others can be left out once every process has this order; keep them for backups made before.',
          )
        : warning(
            'master key',
            'A data key is wrapped by a key that is not the first of MASTER_KEY: keep every one of them.',
            'Restart the processes with MASTER_KEY in this order; at the start the first key wraps the data keys.',
          ),
    ]
  } catch {
    return [
      fault(
        'master key',
        'MASTER_KEY is not the one this database was made with: recipients and credentials cannot be read.',
        'Give the right one from where you keep it; while you change it, "new,old". Without it they are lost.',
      ),
    ]
  }
}

/** The disk of the embedded database is checked even if the database does not run: a full disk may be the reason. */
export async function checkFree({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<readonly Finding[]> {
  const disk = databaseUrl ? null : await statfs(dataDir).catch(() => null)
  if (!disk) return []
  const { bavail, bsize, blocks } = disk
  const free = `${inGigabytes(bavail * bsize)} are free.`
  return [
    bavail * bsize < leastFreeBytes || bavail / blocks < leastFreeShare
      ? fault('disk', free, 'Make room on the disk of DATA_DIR, or lower RETENTION_DAYS.')
      : ok('disk', free),
  ]
}

const forOthers = { toEnter: 0o001, toRead: 0o004 }

/** The files in the folder give access to everything else, so no other user of the machine may read them. */
export async function checkSecrets({ dataDir }: Pick<Config, 'dataDir'>): Promise<readonly Finding[]> {
  const isOpen = async (path: string, bits: number) =>
    stat(path).then(
      ({ mode }) => (mode & bits) !== 0,
      () => false,
    )
  // If nobody else may enter the folder, the modes of its files do not matter.
  if (process.platform === 'win32' || !(await isOpen(dataDir, forOthers.toEnter))) return []
  const entries = await readdir(dataDir, { withFileTypes: true }).catch(() => [])
  const open: string[] = []
  for (const entry of entries) {
    if (entry.isFile() && (await isOpen(join(dataDir, entry.name), forOthers.toRead))) open.push(entry.name)
  }
  if (open.length === 0) return []
  const says = `Every account of this machine can read ${open.sort().join(', ')} in ${dataDir}.`
  return [warning('secrets', says, `Keep others out: chmod 700 '${dataDir}'`)]
}

export const checkSize: Check = async ({ database, config }) => {
  const size = await database.query<{ bytes: string }>({
    text: 'select pg_database_size(current_database())::text as bytes',
  })
  const large = `The database takes ${inGigabytes(Number(size.rows[0]?.bytes ?? 0))}`
  const elsewhere = '; how much is free there, only its machine can say'
  return [ok('size', `${large}${config.databaseUrl ? elsewhere : ''}.`)]
}

export const checkPartitions: Check = async ({ database }) => {
  const days = Math.floor(((await readRoom(database)) - (await databaseNowMs(database))) / dayMs)
  return [
    days < leastDays
      ? fault(
          'partitions',
          `${sayRoom(days)}; on a day without a partition, every send is refused.`,
          'Run a worker: it makes them. If one runs, its log says why it cannot.',
        )
      : ok('partitions', `${sayRoom(days)}.`),
  ]
}

async function databaseNowMs(database: Parameters<Check>[0]['database']): Promise<number> {
  const found = await database.query<{ now: Date }>({ text: 'select clock_timestamp() as now' })
  return found.rows[0]?.now.getTime() ?? 0
}

export const checkWorkers: Check = async ({ database }) => {
  const found = await database.query<{ count: number }>({
    text: 'select count(*)::integer as count from workers where expires_at > clock_timestamp()',
  })
  const workers = found.rows[0]?.count ?? 0
  const { deliveries, events, held } = await readBacklog(database, await databaseNowMs(database))
  return [
    workers === 0
      ? fault(
          'workers',
          'No worker has given a sign of life: neither messages nor events go out.',
          'Start a process with ROLE=worker or ROLE=all.',
        )
      : ok('workers', `${workers} ${workers === 1 ? 'runs' : 'run'}.`),
    deliveries.ageSeconds > longWaitSeconds
      ? fault(
          'messages',
          sayLate(deliveries),
          'Look at the provider accounts below, and at the log of a worker.',
        )
      : ok('messages', sayWaiting(deliveries.count)),
    held > 0
      ? warning(
          'events',
          sayHeld(held, events),
          'Their owners have to fix and enable the endpoints within seven days.',
        )
      : ok('events', sayWaiting(events.count)),
  ]
}

export const checkLists: Check = async ({ config: { ipSourcesFile, dataDir } }) => {
  if (ipSourcesFile === null)
    return [ok('lists', 'None: IP_SOURCES is not set, so no address is refused by its reputation.')]
  try {
    const reputation = await loadReputation(ipSourcesFile, { cacheFolder: ipListsFolder(dataDir) })
    return reputation
      .sources()
      .map(({ name, problem }) =>
        problem === null
          ? ok('lists', `${name} can be used.`)
          : warning(
              'lists',
              `${name}: ${problem}.`,
              'Get a newer copy, or correct its path or address in IP_SOURCES.',
            ),
      )
  } catch (error) {
    const says = error instanceof Error ? error.message : 'IP_SOURCES cannot be read.'
    return [fault('lists', says, 'Correct the file that IP_SOURCES names.')]
  }
}
