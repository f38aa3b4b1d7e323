/**
 * A database whose clock a test moves. Functions named like PostgreSQL's own are in a schema that is searched before
 * `pg_catalog`, so the service's statements use this time unchanged.
 */
import type { TestDatabase } from './database.ts'

export interface VirtualClock {
  /** A connection to this address uses the moved time. */
  readonly url: string
  readonly advance: (seconds: number) => Promise<void>
}

export async function createVirtualClock(
  database: Pick<TestDatabase, 'url' | 'query'>,
): Promise<VirtualClock> {
  await database.query('create schema virtual')
  await database.query('create table virtual.shift (by interval not null)')
  await database.query("insert into virtual.shift values ('0')")
  for (const name of ['clock_timestamp', 'now']) {
    await database.query(
      `create function virtual.${name}() returns timestamptz language sql volatile
       as 'select pg_catalog.clock_timestamp() + by from virtual.shift'`,
    )
  }
  const url = new URL(database.url)
  url.searchParams.set('options', '-c search_path=public,virtual,pg_catalog')
  return {
    url: url.href.replaceAll('+', '%20'),
    advance: async (seconds) => {
      await database.query("update virtual.shift set by = by + $1 * interval '1 second'", [seconds])
    },
  }
}
