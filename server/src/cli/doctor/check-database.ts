/** The database: its version, its tables, what its user may do, its connections, and its clock. */

import { findWeakSettings } from '../../platform/database/durability.ts'
import { type UnfitSetting, unfitSettings } from '../../platform/database/unfit-settings.ts'
import type { Queryable } from '../../platform/database.ts'
import { neededEncoding } from '../../platform/migrate.ts'
import {
  type Applied,
  appliedMigrations,
  compareMigrations,
  readMigrations,
} from '../../platform/migration-files.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const leastVersion = 150_000
/** A node's clock decides nothing, but TLS and the times in its log depend on it. */
const skewSeconds = 5

async function one<Row extends object>(database: Queryable, text: string): Promise<Row | undefined> {
  return (await database.query<Row & Record<string, unknown>>({ text })).rows[0]
}

export const checkVersion: Check = async ({ database }) => {
  const row = await one<{
    number: number
    version: string
    encoding: string
    standby: boolean
    read_only: string
  }>(
    database,
    `select current_setting('server_encoding') as encoding, current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
            pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') as read_only`,
  )
  if (!row) return []
  const unfit = await database.query<UnfitSetting>({ text: unfitSettings })
  return [
    ...unfit.rows.map(({ setting, remedy }) =>
      fault('defaults', `It has ${setting}, with which it does not work.`, `Run there: ${remedy}`),
    ),
    row.number < leastVersion
      ? fault('version', `It is PostgreSQL ${row.version}.`, 'Move to PostgreSQL 15 or newer.')
      : ok('version', `PostgreSQL ${row.version}.`),
    ...(row.encoding === neededEncoding
      ? []
      : [
          fault(
            'encoding',
            `It is ${row.encoding}, in which not every name can be written.`,
            'Dump it, and restore it into one that was made with: createdb --encoding=UTF8 --template=template0',
          ),
        ]),
    ...(row.standby || row.read_only === 'on'
      ? [
          fault(
            'writes',
            row.standby ? 'This server is a standby: it takes no writes.' : 'This database is read only.',
            'Let DATABASE_URL name the primary, or set default_transaction_read_only = off.',
          ),
        ]
      : [ok('writes', 'It takes writes.')]),
  ]
}

export const checkDurability: Check = async ({ database }) => {
  const weak = await findWeakSettings(database)
  return [
    weak.length > 0
      ? warning(
          'durability',
          `With ${weak.join(', ')}, what was accepted may be lost when the machine of the database fails.`,
          'Set them to on, for the server or for the role and database that have them off.',
        )
      : ok('durability', 'What is committed is on disk.'),
  ]
}

export const checkTables: Check = async ({ database, migrationsFolder }) => {
  const known = await one<{ exists: boolean }>(
    database,
    `select to_regclass('migrations') is not null as exists`,
  )
  if (!known?.exists) return [await withoutTables(database)]
  const applied = await database.query<Applied>({ text: appliedMigrations })
  const { newer, changed, missing } = compareMigrations(await readMigrations(migrationsFolder), applied.rows)
  if (newer.length > 0)
    return [
      fault(
        'tables',
        `They are of a newer version (${newer.join(', ')}).`,
        'Use that version, or restore a backup of this one.',
      ),
    ]
  if (changed.length > 0)
    return [
      fault(
        'tables',
        `They are of an unreleased version: ${changed.join(', ')} has changed since it was applied.`,
        'Use the version that made them, or begin with an empty database.',
      ),
    ]
  return [
    missing.length > 0
      ? fault(
          'tables',
          `They are of an older version: ${missing.map(({ name }) => name).join(', ')} is missing.`,
          'Run: countersign migrate',
        )
      : ok('tables', 'They are of this version.'),
  ]
}

async function withoutTables(database: Queryable): Promise<Finding> {
  const row = await one<{ names: string[] }>(database, `select ${tableNames('true')} as names from ${tables}`)
  return row && row.names.length > 0
    ? fault(
        'tables',
        `There are none of ours, but those of another program: ${firstOf(row.names)}.`,
        'Give Countersign a database of its own, and let DATABASE_URL name it.',
      )
    : fault('tables', 'There are no tables yet.', 'Start the service once, or run: countersign migrate')
}

const tables = `pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`
const tableNames = (condition: string) =>
  `coalesce(array_agg(relname::text order by relname) filter (where ${condition}), '{}')`
const firstOf = (names: readonly string[]) => names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '')

export const checkPrivileges: Check = async ({ database }) => {
  const row = await one<{
    name: string
    may_create: boolean
    are_ours: boolean
    foreign: string[]
    closed: string[]
  }>(
    database,
    `select current_user::text as name, has_schema_privilege(current_schema(), 'create') as may_create,
            exists (select 1 from pg_attribute where attrelid = to_regclass('migrations') and attname = 'sha256') as are_ours,
            ${tableNames(`not pg_has_role(relowner, 'usage')`)} as foreign,
            ${tableNames(`not has_table_privilege(oid, 'select, insert, update, delete')`)} as closed
       from ${tables}`,
  )
  if (!row) return []
  if (!row.may_create)
    return [
      fault(
        'privileges',
        `The user ${row.name} may not create tables, and every day needs new ones.`,
        `As its owner run: grant create on schema public to ${row.name};`,
      ),
    ]
  // Nobody should be told to take over the tables of another program.
  if (row.are_ours && row.foreign.length > 0)
    return [
      fault(
        'privileges',
        `The user ${row.name} does not own ${firstOf(row.foreign)}.`,
        `Let it own the tables: reassign owned by <the owner> to ${row.name};`,
      ),
    ]
  if (row.are_ours && row.closed.length > 0)
    return [
      fault(
        'privileges',
        `The user ${row.name} may not read and write ${firstOf(row.closed)}.`,
        `Run: grant all on all tables in schema public to ${row.name};`,
      ),
    ]
  return [ok('privileges', `The user ${row.name} may do what is needed.`)]
}

export const checkConnections: Check = async ({ database, config }) => {
  const row = await one<{ most: number; used: number }>(
    database,
    `select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as most,
            (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as used`,
  )
  if (!row) return []
  const wanted = config.databaseConnections * config.processes
  if (wanted > row.most)
    return [
      fault(
        'connections',
        `This machine may open ${wanted}, and the server has ${row.most}.`,
        'Raise max_connections, or lower DATABASE_CONNECTIONS or PROCESSES.',
      ),
    ]
  return [
    row.used > row.most * 0.9
      ? warning(
          'connections',
          `${row.used} of ${row.most} are in use.`,
          'Raise max_connections, or see who holds so many (pg_stat_activity).',
        )
      : ok('connections', `${row.used} of ${row.most} are in use.`),
  ]
}

export const checkClock: Check = async ({ database }) => {
  const askedMs = Date.now()
  const row = await one<{ now: Date }>(database, 'select clock_timestamp() as now')
  if (!row) return []
  const answeredMs = Date.now()
  const offSeconds = (row.now.getTime() - (askedMs + answeredMs) / 2) / 1_000
  // The measurement may be off by half the time that the query took.
  const unsureSeconds = (answeredMs - askedMs) / 2_000
  const off = `${Math.abs(offSeconds).toFixed(1)} s`
  return [
    Math.abs(offSeconds) - unsureSeconds > skewSeconds
      ? warning(
          'clock',
          `The clock of this machine is ${off} ${offSeconds > 0 ? 'behind' : 'ahead of'} the database's.`,
          'Let both follow a time server (chrony, systemd-timesyncd). Codes and limits go by the database’s.',
        )
      : ok('clock', `It agrees with the database's within ${off}.`),
  ]
}
