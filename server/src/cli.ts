/** The command line. What it changes, it changes in the database, so it works beside a running service. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { auditCommand } from './cli/audit.ts'
import { type Command, type Options, type Printed, type Surroundings, UsageError } from './cli/command.ts'
import { peopleCommands } from './cli/people.ts'
import { type Config, readConfig } from './config.ts'
import { openCompany } from './domain/billing/index.ts'
import { explainIp, loadReputation, parseRecipient } from './domain/guard/index.ts'
import { openAuditEntry } from './domain/members/index.ts'
import { type App, createApp, createKey, findAppById } from './domain/tenancy/index.ts'
import { DatabaseClock } from './platform/clock.ts'
import { databaseUrlFile, ipListsFolder, masterKeysOf } from './platform/data-folder.ts'
import { addDataKey, loadKeyring } from './platform/data-keys.ts'
import { openDatabase } from './platform/database.ts'
import { dropAllOldPartitions, listOldPartitions } from './platform/drop-partitions.ts'
import { type AppId, newId, parseId } from './platform/ids.ts'
import { inspectSessions } from './platform/pooler.ts'

const usage = `countersign <command>

  start                                   start the service (the default)
  create-company NAME [--balance 100]     a company; prints its id
  create-app COMPANY_ID NAME              an app; prints its id
  create-key APP_ID server|publishable    a key; prints it, once
  sign-in-link EMAIL                      a link that opens the dashboard as that operator, once, within the hour
                                          --new: makes the address an operator's; --member: signs in a member
                                          or somebody invited, as what they are
  sign-in-links                           the links that still work
  revoke-sign-in-link LINK_ID             a link that shall not work any more
  operators                               who is an operator
  demote-operator EMAIL                   an operator no more; stays a member of companies
  remove-operator EMAIL                   out of every company too, and signed out everywhere
  audit verify [--company ID] [--json]    whether the audit trail holds; exits with 1 where it does not
  rotate-data-key                         seal and derive with a new key from now on
  drop-old-partitions [--now]             which days RETENTION_DAYS does not keep; with --now they are dropped,
                                          all at once instead of a few a day
  ip explain ADDRESS                      what a client_ip is to the service, and what a send with it does
  help

It reads the same environment as the service. Without DATABASE_URL it works on the embedded database of the
service that is running on DATA_DIR.`

const commands: Readonly<Record<string, Command>> = {
  'create-company': {
    run: async (surroundings, [name], { balance }) => {
      if (!name) throw new UsageError('Say the name of the company.')
      if (!/^\d{1,12}(\.\d{1,6})?$/.test(balance))
        throw new UsageError('--balance is a number such as 100 or 12.50.')
      return (await openCompany(surroundings, { name, metered: true, balance })).companyId
    },
  },
  'create-app': {
    run: async (surroundings, [companyText, name]) => {
      const companyId = parseId('company', companyText ?? '')
      if (!companyId || !name) throw new UsageError('Say the company (cmp_…) and the name of the app.')
      return (await createApp(surroundings, companyId, { name })).appId
    },
  },
  'create-key': {
    run: async (surroundings, [appText, kind]) => {
      const appId = parseId('app', appText ?? '')
      if (!appId || (kind !== 'server' && kind !== 'publishable')) {
        throw new UsageError('Say the app (app_…) and the kind of key: server or publishable.')
      }
      return (await createKey(surroundings, await appOf(surroundings, appId), { kind, name: null })).text
    },
  },
  ...peopleCommands,
  audit: auditCommand,
  'rotate-data-key': {
    run: async ({ database, config }) => {
      const id = await addDataKey(database, await masterKeysOf(config))
      return `data key ${id} takes over in ten seconds`
    },
  },
  'drop-old-partitions': {
    isReading: ({ now = false }) => !now,
    run: async ({ database, config: { retentionDays } }, _words, { now = false }) => {
      if (!now) {
        return describePartitions(await listOldPartitions(database, retentionDays), 'would be dropped')
      }
      const { dropped, daysLeft } = await dropAllOldPartitions(database, retentionDays)
      const held =
        daysLeft > 0 ? `\n${daysLeft} days stay until events of theirs that are held have gone` : ''
      return `${describePartitions(dropped, 'dropped')}${held}`
    },
  },
}

const describePartitions = (partitions: readonly { readonly name: string }[], what: string) =>
  [...partitions.map(({ name }) => name), `${partitions.length} partitions ${what}`].join('\n')

/** In the audit trail too: what the command line changes, it changes for everybody. */
async function recorded(
  surroundings: Surroundings,
  action: string,
  { words: [subject = ''], options }: { readonly words: readonly string[]; readonly options: Options },
  run: () => Promise<string | Printed>,
): Promise<string | Printed> {
  const named = { company_id: parseId('company', subject), app_id: parseId('app', subject) }
  const entry = await openAuditEntry(surroundings, {
    ...noAuditSubject,
    companyId: named.company_id ?? (named.app_id && (await appOf(surroundings, named.app_id)).companyId),
    appId: named.app_id,
    action,
    changes: saidOf(subject, options),
    requestId: newId('request', Date.now()),
  })
  const printed = await run().catch(async (error: unknown) => {
    await entry.refuse(error instanceof Error ? error.name : 'Error')
    throw error
  })
  await entry.settle(typeof printed === 'string' ? parseId('company', printed) : null)
  return printed
}
const noAuditSubject = {
  actor: 'command_line',
  personId: null,
  subject: null,
  address: null,
} as const

/** Whom it is about, as much of the address as every page shows, and what was made of them. */
function saidOf(subject: string, { new: isNew, member }: Options): Record<string, unknown> {
  const email = parseRecipient(subject)?.masked
  return { ...(email ? { email } : {}), ...(isNew ? { new: true } : {}), ...(member ? { member: true } : {}) }
}

async function appOf({ database }: Surroundings, appId: AppId): Promise<App> {
  const app = await findAppById(database, appId)
  if (!app) throw new Error('There is no such app.')
  return app
}

/** Needs no database: lists are files. */
async function explain([verb, address]: readonly string[]): Promise<string> {
  if (verb !== 'explain' || !address) throw new UsageError('Say an address: ip explain 198.51.100.7')
  const { ipSourcesFile, dataDir } = readConfig()
  return explainIp(address, await loadReputation(ipSourcesFile, { cacheFolder: ipListsFolder(dataDir) }))
}

async function findDatabaseUrl({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl) return databaseUrl
  const url = await readFile(join(dataDir, databaseUrlFile), 'utf8').catch(() => null)
  if (!url) throw new UsageError(`No service is running on ${dataDir}. Start one, or set DATABASE_URL.`)
  return url
}

const options = {
  balance: { type: 'string', default: '0' },
  company: { type: 'string' },
  json: { type: 'boolean' },
  new: { type: 'boolean' },
  member: { type: 'boolean' },
  now: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

async function run(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options })
  const [name = 'start', ...words] = positionals
  if (values.help || name === 'help') return console.log(usage)
  // The other commands do without most of the service, and answer sooner without reading it.
  if (name === 'start') return (await import('./main.ts')).runService(fileURLToPath(import.meta.url))
  if (name === 'ip') return console.log(await explain(words))
  const command = commands[name]
  if (!command) throw new UsageError(`There is no command "${name}".\n\n${usage}`)
  const config = readConfig()
  const url = await findDatabaseUrl(config)
  const database = openDatabase(url, 2, () => {}, { sessions: await inspectSessions(url) })
  try {
    const keys = await loadKeyring(database, await masterKeysOf(config))
    const surroundings = { config, database, clock: new DatabaseClock(), keyring: () => keys }
    const act = () => command.run(surroundings, words, values)
    const { isReading = false } = command
    const isRecorded = typeof isReading === 'boolean' ? !isReading : !isReading(values)
    const printed = await (isRecorded ? recorded(surroundings, name, { words, options: values }, act) : act())
    console.log(typeof printed === 'string' ? printed : printed.text)
    if (typeof printed !== 'string') process.exitCode = printed.exitCode
  } finally {
    await database.close()
  }
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
