/** Commands that maintain an installation. */
import { explainIp, loadReputation, parseClientIp } from '../domain/guard/index.ts'
import { ipListsFolder, masterKeysOf } from '../platform/data-folder.ts'
import { addDataKey, makeFirstDataKey } from '../platform/data-keys.ts'
import { inspectSessions } from '../platform/database/pooler.ts'
import { openDatabase } from '../platform/database.ts'
import { dropAllOldPartitions, listOldPartitions } from '../platform/drop-partitions.ts'
import { migrate } from '../platform/migrate.ts'
import { type Commands, exits, UsageError } from './command.ts'
import { sayDaysLeft } from './doctor/words.ts'
import { getDatabaseUrl } from './reach.ts'

const describePartitions = (partitions: readonly { readonly name: string }[], what: string) =>
  [
    ...partitions.map(({ name }) => name),
    `${partitions.length} ${partitions.length === 1 ? 'partition' : 'partitions'} ${what}`,
  ].join('\n')

const namesOf = (partitions: readonly { readonly name: string }[]) => partitions.map(({ name }) => name)

export const upkeepCommands = (migrationsFolder: string): Commands => ({
  migrate: {
    needs: 'nothing',
    words: [],
    summary: 'bring the tables up to date, and end',
    details: [
      'A start does the same by itself. This is for those who want it done once, before the processes start.',
    ],
    run: async ({ config }) => {
      const settings = config()
      const url = await getDatabaseUrl(settings)
      const masterKeys = await masterKeysOf(settings)
      const applied = await migrate(url, migrationsFolder, () => {})
      // The other commands need a data key, and the service may not have been started yet.
      const database = openDatabase(url, 2, () => {}, { sessions: await inspectSessions(url) })
      await makeFirstDataKey(database, masterKeys).finally(() => database.close())
      const text = applied.length === 0 ? 'The tables are up to date.' : `applied ${applied.join(', ')}`
      return { text, data: { applied } }
    },
  },
  'rotate-data-key': {
    needs: 'database',
    words: [],
    summary: 'seal and derive with a new key from now on',
    read:
      () =>
      async ({ database, config }) => {
        const id = await addDataKey(database, await masterKeysOf(config))
        return { text: `data key ${id} takes over in ten seconds`, data: { data_key: id } }
      },
  },
  'drop-old-partitions': {
    needs: 'database',
    words: [],
    summary: 'which days RETENTION_DAYS does not keep',
    options: { now: 'drop them, all at once instead of a few a day' },
    isReading: ({ now = false }) => !now,
    read:
      (_words, { now = false }) =>
      async ({ database, config: { retentionDays } }) => {
        if (!now) {
          const old = await listOldPartitions(database, retentionDays)
          return {
            text: describePartitions(old, 'would be dropped'),
            data: { partitions: namesOf(old), dropped: false },
          }
        }
        const { dropped, daysLeft } = await dropAllOldPartitions(database, retentionDays)
        const held = daysLeft > 0 ? `\n${sayDaysLeft(daysLeft)}` : ''
        return {
          text: `${describePartitions(dropped, 'dropped')}${held}`,
          data: { partitions: namesOf(dropped), dropped: true, days_left: daysLeft },
        }
      },
  },
  ip: {
    needs: 'nothing',
    words: ['explain', 'ADDRESS'],
    summary: 'what a client_ip is to the service, and what a send with it does',
    details: ['It reads the lists of IP_SOURCES, and needs no database.'],
    run: async ({ config }, [verb, address]) => {
      if (verb !== 'explain' || !address) throw new UsageError('Say an address: ip explain 198.51.100.7')
      const { ipSourcesFile, dataDir } = config()
      const reputation = await loadReputation(ipSourcesFile, { cacheFolder: ipListsFolder(dataDir) })
      const rows = explainIp(address, reputation)
      return {
        text: [address, ...rows.map(([name, says]) => `  ${name.padEnd(12)}${says}`)].join('\n'),
        data: { address, says: rows.map(([name, says]) => (name ? `${name}: ${says}` : says)) },
        exit: parseClientIp(address).kind === 'malformed' ? exits.no : exits.done,
      }
    },
  },
})
