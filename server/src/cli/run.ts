/** Runs one command: finds it, opens what it needs, prints its result, and ends with its exit code. */
import { AppError } from '@countersign/contract'
import { readConfig } from '../config.ts'
import { getCompany } from '../domain/billing/index.ts'
import { parseRecipient } from '../domain/guard/index.ts'
import { openAuditEntry } from '../domain/members/index.ts'
import { DatabaseClock } from '../platform/clock.ts'
import { ConfigError } from '../platform/config-error.ts'
import { masterKeysOf } from '../platform/data-folder.ts'
import { loadKeyring } from '../platform/data-keys.ts'
import { inspectSessions } from '../platform/database/pooler.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import { newId, parseId } from '../platform/ids.ts'
import { UnfitError } from '../platform/migrate.ts'
import {
  AwayError,
  type Commands,
  type DatabaseCommand,
  type Environment,
  type Exit,
  exits,
  type Options,
  type Outside,
  type Printed,
  type Surroundings,
  UsageError,
} from './command.ts'
import { helpOf, overview } from './help.ts'
import { assertNoMore, commandOf, parse } from './parse.ts'
import { getDatabaseUrl, sentenceOf, whyAway } from './reach.ts'
import { appOf } from './tenants.ts'

export interface Terminal {
  readonly environment: Environment
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
}

/** Runs every command except `start`, which does not end. */
export async function runCommand(
  commands: Commands,
  args: readonly string[],
  { environment, print, complain }: Terminal,
): Promise<Exit> {
  const isJson = args.includes('--json')
  try {
    const { name, words, options } = parse(commands, args)
    if (name === 'help') {
      const about = words[0] === 'help' ? undefined : words[0]
      const command = about === undefined || about === 'start' ? null : commandOf(commands, about)
      print(about === undefined ? overview(commands) : helpOf(about, command))
      return exits.done
    }
    const command = commandOf(commands, name)
    assertNoMore(name, command, words)
    const outside: Outside = { environment, config: () => readConfig(environment) }
    const printed =
      command.needs === 'nothing'
        ? await command.run(outside, words, options)
        : await runOnDatabase(outside, command, { name, words, options })
    print(isJson ? JSON.stringify(printed.data, null, 2) : printed.text)
    return printed.exit ?? exits.done
  } catch (error) {
    const { exit, type, message } = explain(error)
    // With --json, errors also go to standard output, where the reader expects JSON.
    if (isJson) print(JSON.stringify({ error: { type, message } }, null, 2))
    else complain(message)
    return exit
  }
}

async function runOnDatabase(outside: Outside, command: DatabaseCommand, call: Call): Promise<Printed> {
  const run = command.read(call.words, call.options)
  const { isReading = false } = command
  const isRecorded = typeof isReading === 'boolean' ? !isReading : !isReading(call.options)
  return withDatabase(outside, (surroundings) =>
    isRecorded ? recorded(surroundings, call, () => run(surroundings)) : run(surroundings),
  )
}

async function withDatabase<Result>(
  outside: Outside,
  run: (surroundings: Surroundings) => Promise<Result>,
): Promise<Result> {
  const config = outside.config()
  const url = await getDatabaseUrl(config)
  const database = openDatabase(url, 2, () => {}, { sessions: await inspectSessions(url) })
  try {
    const keys = await loadKeyring(database, await masterKeysOf(config))
    return await run({ config, database, clock: await readClock(database), keyring: () => keys })
  } finally {
    await database.close()
  }
}

/** Uses the database's clock, since ids contain the time, and this machine's clock may be wrong. */
async function readClock(database: Database): Promise<DatabaseClock> {
  const clock = new DatabaseClock()
  const read = await database.query<{ now: Date }>({ text: 'select clock_timestamp() as now' })
  if (read.rows[0]) clock.calibrate(read.rows[0].now.getTime())
  return clock
}

interface Call {
  readonly name: string
  readonly words: readonly string[]
  readonly options: Options
}

const noAuditSubject = { actor: 'command_line', personId: null, subject: null, address: null } as const

/** Records the command in the audit trail, like any other change. */
async function recorded(
  surroundings: Surroundings,
  { name, words: [subject = ''], options }: Call,
  run: () => Promise<Printed>,
): Promise<Printed> {
  const named = { company_id: parseId('company', subject), app_id: parseId('app', subject) }
  // A company that does not exist gets no audit trail.
  if (named.company_id) await getCompany(surroundings, named.company_id)
  const entry = await openAuditEntry(surroundings, {
    ...noAuditSubject,
    companyId: named.company_id ?? (named.app_id && (await appOf(surroundings, named.app_id)).companyId),
    appId: named.app_id,
    action: name,
    changes: saidOf(subject, options),
    requestId: newId('request', Date.now()),
  })
  const printed = await run().catch(async (error: unknown) => {
    await entry.refuse(error instanceof Error ? error.name : 'Error')
    throw error
  })
  await entry.settle(printed.companyId ?? null)
  return printed
}

/** What the audit trail shows of the arguments: the masked email address, and the role that was asked for. */
function saidOf(subject: string, { new: isNew, member }: Options): Record<string, unknown> {
  const email = parseRecipient(subject)?.masked
  return { ...(email ? { email } : {}), ...(isNew ? { new: true } : {}), ...(member ? { member: true } : {}) }
}

/** Errors of the domain that mean wrong arguments. */
const wordsRefused = ['ValidationError', 'InvalidRecipientError']

function explain(error: unknown): { exit: Exit; type: string; message: string } {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof UsageError) return { exit: exits.usage, type: 'UsageError', message }
  if (error instanceof ConfigError) return { exit: exits.usage, type: 'SettingsError', message }
  if (error instanceof AwayError || error instanceof UnfitError)
    return { exit: exits.away, type: 'AwayError', message }
  const away = whyAway(error)
  if (away) return { exit: exits.away, type: 'AwayError', message: sentenceOf(away) }
  const type = error instanceof AppError ? error.errorName : 'Error'
  return { exit: wordsRefused.includes(type) ? exits.usage : exits.no, type, message }
}
