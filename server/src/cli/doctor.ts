/** `doctor`: says what is wrong with an installation, and how to fix it. It changes nothing. */
import { slipsIn } from '../config.ts'
import { ConfigError } from '../platform/config-error.ts'
import { inspectSessions } from '../platform/database/pooler.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import { AwayError, type Command, type Exit, exits, type Printed } from './command.ts'
import { checkAddress } from './doctor/check-address.ts'
import {
  checkClock,
  checkConnections,
  checkDurability,
  checkPrivileges,
  checkTables,
  checkVersion,
} from './doctor/check-database.ts'
import {
  checkFree,
  checkLists,
  checkMasterKey,
  checkPartitions,
  checkSecrets,
  checkSize,
  checkWorkers,
} from './doctor/check-ground.ts'
import { checkProviders } from './doctor/check-providers.ts'
import { type Check, type Finding, fault, ok, type Patient, warning } from './doctor/finding.ts'
import { getDatabaseUrl, whyAway } from './reach.ts'

/** Checked first: without readable tables of this version most other checks cannot run. */
const first: Readonly<Record<string, Check>> = {
  version: checkVersion,
  tables: checkTables,
  privileges: checkPrivileges,
}
const rest: Readonly<Record<string, Check>> = {
  connections: checkConnections,
  durability: checkDurability,
  clock: checkClock,
  'master key': checkMasterKey,
  size: checkSize,
  partitions: checkPartitions,
  workers: checkWorkers,
  providers: checkProviders,
  lists: checkLists,
  'public address': checkAddress,
}

/** Used when the error itself already says what to do. */
const lookAgain = 'Then look again with: countersign doctor'

export const doctorCommand = (migrationsFolder: string): Command => ({
  needs: 'nothing',
  words: [],
  summary: 'what is wrong with this installation, and how to fix it',
  details: [
    'It looks at the settings, the database, its version, tables, privileges, connections, durability and clock, the',
    'master key, who can read it, the disk, the days ahead, workers, providers, lists, and at the public address from',
    'outside in. It changes nothing.',
  ],
  run: async ({ config, environment }) => {
    const settings = config()
    const slips = slipsIn(environment).map((slip) => warning('settings', slip, 'Mend the name, or unset it.'))
    const found = [
      ok('settings', 'They can be read.'),
      ...slips,
      ...(await checkSecrets(settings)),
      ...(await checkFree(settings)),
    ]
    let url: string
    try {
      url = await getDatabaseUrl(settings)
    } catch (error) {
      const says = error instanceof AwayError ? error.message : 'The database cannot be found.'
      return report([found, fault('database', says, lookAgain)], exits.away)
    }
    let database: Database | null = null
    try {
      database = openDatabase(url, 2, () => {}, { sessions: await inspectSessions(url) })
      await database.query({ text: 'select 1' })
    } catch (error) {
      await database?.close()
      return report([found, unusable(error)], error instanceof ConfigError ? exits.no : exits.away)
    }
    try {
      const reached = ok('database', 'It answers.')
      return report([found, reached, ...(await examine({ config: settings, database, migrationsFolder }))])
    } finally {
      await database.close()
    }
  },
})

function unusable(error: unknown): Finding {
  const away = whyAway(error)
  if (away) return fault('database', `It cannot be used: ${away.what}.`, away.mend)
  const says = error instanceof Error ? error.message : 'It cannot be used.'
  const mend = error instanceof ConfigError ? lookAgain : 'Look into its log.'
  return fault('database', says, mend)
}

async function examine(patient: Patient): Promise<Finding[]> {
  const findings: Finding[] = []
  const look = async (checks: typeof first) => {
    for (const [name, check] of Object.entries(checks))
      findings.push(...(await check(patient).catch((error: unknown) => [unasked(name, error)])))
  }
  await look(first)
  if (findings.every(({ status }) => status !== 'fault')) await look(rest)
  return findings
}

/** If one check cannot run, the others still do. */
function unasked(name: string, error: unknown): Finding {
  const away = whyAway(error)
  const says = error instanceof Error ? error.message : 'no reason'
  return fault(
    name,
    `It could not be looked at: ${away?.what ?? says}.`,
    away?.mend ?? 'See the log of PostgreSQL.',
  )
}

const marks = { ok: 'ok   ', warning: 'look ', fault: 'FAULT' } as const

function report(found: readonly (Finding | readonly Finding[])[], exit?: Exit): Printed {
  const findings = found.flat()
  const faults = findings.filter(({ status }) => status === 'fault').length
  const warnings = findings.filter(({ status }) => status === 'warning').length
  const lines = findings.flatMap(({ name, status, says, mend }) => [
    `${marks[status]}  ${name.padEnd(14)}  ${says}`,
    ...(mend ? [`${' '.repeat(23)}→ ${mend}`] : []),
  ])
  const verdict =
    faults > 0
      ? `${faults} ${faults === 1 ? 'fault' : 'faults'} to mend.`
      : warnings > 0
        ? 'It works; somebody should look.'
        : 'All is well.'
  return {
    text: [...lines, '', verdict].join('\n'),
    data: { healthy: faults === 0, findings },
    exit: exit ?? (faults > 0 ? exits.no : exits.done),
  }
}
