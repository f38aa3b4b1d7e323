/** A database whose clock a test can move: our `clock_timestamp()` and `now()` are found before PostgreSQL's own. */
import { type Database, openDatabase } from '../../src/platform/database.ts'
import type { TestDatabase } from './database.ts'

export interface MovableClock {
  /** The address of the same database with the moved clock. */
  readonly url: string
  readonly open: () => Database
  /** Sets how far the clock is from the real time. */
  readonly moveBy: (ms: number) => Promise<void>
}

export async function makeMovableClock(database: TestDatabase): Promise<MovableClock> {
  await database.query('create table moved_clock (ms double precision not null)')
  await database.query('insert into moved_clock values (0)')
  for (const name of ['clock_timestamp', 'now']) {
    await database.query(
      `create function public.${name}() returns timestamptz language sql stable as
       $$ select pg_catalog.clock_timestamp() + (select ms from public.moved_clock) * interval '1 millisecond' $$`,
    )
  }
  const url = new URL(database.url)
  url.searchParams.set('options', '-c search_path=public,pg_catalog')
  const text = url.href.replaceAll('+', '%20')
  return {
    url: text,
    open: () => openDatabase(text, 6, () => {}),
    moveBy: async (ms) => {
      await database.query('update moved_clock set ms = $1', [ms])
    },
  }
}
