/** The command line. What it changes, it changes in the database, so it works beside a running service. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { openCompany } from './domain/billing/index.ts'
import { explainIp, loadReputation } from './domain/guard/index.ts'
import { makeSignInLink, openAuditEntry, signInLinkUrl } from './domain/members/index.ts'
import { type App, createApp, createKey, findAppById } from './domain/tenancy/index.ts'
import { runService } from './main.ts'
import { DatabaseClock } from './platform/clock.ts'
import { addDataKey, loadKeyring } from './platform/data-keys.ts'
import { type Database, openDatabase } from './platform/database.ts'
import { dropAllOldPartitions, listOldPartitions } from './platform/drop-partitions.ts'
import { type AppId, newId, parseId } from './platform/ids.ts'
import { databaseUrlFile, ipListsFolder, masterKeysOf } from './service.ts'

const usage = `countersign <command>

  start                                   start the service (the default)
  create-company NAME [--balance 100]     a company; prints its id
  create-app COMPANY_ID NAME              an app; prints its id
  create-key APP_ID server|publishable    a key; prints it, once
  sign-in-link EMAIL                      a link that opens the dashboard as that person, once, within the
                                          hour; an address that nobody has yet becomes an operator's
  rotate-data-key                         seal and derive with a new key from now on
  drop-old-partitions [--now]             which days RETENTION_DAYS does not keep; with --now they are dropped,
                                          all at once instead of a few a day
  ip explain ADDRESS                      what a client_ip is to the service, and what a send with it does
  help

It reads the same environment as the service. Without DATABASE_URL it works on the embedded database of the
service that is running on DATA_DIR.`

class UsageError extends Error {}

type Command = (
  database: Database,
  words: readonly string[],
  options: { readonly balance: string; readonly now: boolean },
) => Promise<string>

const commands: Readonly<Record<string, Command>> = {
  'create-company': async (database, [name], { balance }) => {
    if (!name) throw new UsageError('Say the name of the company.')
    if (!/^\d{1,12}(\.\d{1,6})?$/.test(balance))
      throw new UsageError('--balance is a number such as 100 or 12.50.')
    const company = await openCompany({ database, clock }, { name, metered: true, balance })
    return company.companyId
  },
  'create-app': async (database, [companyText, name]) => {
    const companyId = parseId('company', companyText ?? '')
    if (!companyId || !name) throw new UsageError('Say the company (cmp_…) and the name of the app.')
    return (await createApp({ database, clock }, companyId, { name })).appId
  },
  'create-key': async (database, [appText, kind]) => {
    const appId = parseId('app', appText ?? '')
    if (!appId || (kind !== 'server' && kind !== 'publishable')) {
      throw new UsageError('Say the app (app_…) and the kind of key: server or publishable.')
    }
    return (await createKey({ database, clock }, await appOf(database, appId), { kind, name: null })).text
  },
  'sign-in-link': async (database, [email]) => {
    if (!email) throw new UsageError('Say an email address.')
    const config = readConfig()
    const keyring = await loadKeyring(database, await masterKeysOf(config))
    const token = await makeSignInLink({ database, clock, keyring: () => keyring }, email)
    return signInLinkUrl(config.publicUrl, token)
  },
  'rotate-data-key': async (database) => {
    const id = await addDataKey(database, await masterKeysOf(readConfig()))
    return `data key ${id} takes over in ten seconds`
  },
  'drop-old-partitions': async (database, _words, { now }) => {
    const { retentionDays } = readConfig()
    if (!now) return describePartitions(await listOldPartitions(database, retentionDays), 'would be dropped')
    const { dropped, daysLeft } = await dropAllOldPartitions(database, retentionDays)
    const held = daysLeft > 0 ? `\n${daysLeft} days stay until events of theirs that are held have gone` : ''
    return `${describePartitions(dropped, 'dropped')}${held}`
  },
}

const clock = new DatabaseClock()

const describePartitions = (partitions: readonly { readonly name: string }[], what: string) =>
  [...partitions.map(({ name }) => name), `${partitions.length} partitions ${what}`].join('\n')

/** In the audit trail too: what the command line changes, it changes for everybody. */
async function recorded(
  database: Database,
  action: string,
  [subject = '']: readonly string[],
  run: () => Promise<string>,
): Promise<string> {
  const named = { company_id: parseId('company', subject), app_id: parseId('app', subject) }
  const entry = await openAuditEntry(
    { database, clock },
    {
      ...noAuditSubject,
      companyId: named.company_id ?? (named.app_id && (await appOf(database, named.app_id)).companyId),
      appId: named.app_id,
      action,
      requestId: newId('request', Date.now()),
    },
  )
  const printed = await run()
  await entry.settle(parseId('company', printed))
  return printed
}
const noAuditSubject = { actor: 'command_line', personId: null, subject: null, changes: {} } as const

async function appOf(database: Database, appId: AppId): Promise<App> {
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

async function findDatabaseUrl(): Promise<string> {
  const { databaseUrl, dataDir } = readConfig()
  if (databaseUrl) return databaseUrl
  const url = await readFile(join(dataDir, databaseUrlFile), 'utf8').catch(() => null)
  if (!url) throw new UsageError(`No service is running on ${dataDir}. Start one, or set DATABASE_URL.`)
  return url
}

async function run(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      balance: { type: 'string', default: '0' },
      now: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [name = 'start', ...words] = positionals
  if (values.help || name === 'help') return console.log(usage)
  if (name === 'start') return runService()
  if (name === 'ip') return console.log(await explain(words))
  const command = commands[name]
  if (!command) throw new UsageError(`There is no command "${name}".\n\n${usage}`)
  const database = openDatabase(await findDatabaseUrl(), 2, () => {})
  try {
    console.log(await recorded(database, name, words, () => command(database, words, values)))
  } finally {
    await database.close()
  }
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
