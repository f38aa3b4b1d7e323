/** A PostgreSQL of its own with the service's tables, whose clock is set from outside. */
import { fileURLToPath } from 'node:url'
import type { Closers } from '../../server/src/platform/closers.ts'
import { type Database, openDatabase } from '../../server/src/platform/database.ts'
import { startThrowawayDatabase } from '../../server/src/platform/embedded-database.ts'
import { migrate } from '../../server/src/platform/migrate.ts'
import { makePartitions } from '../../server/src/platform/partitions.ts'

export interface VirtualDatabase {
  readonly database: Database
  readonly nowMs: () => number
  /** Sets the clock, in seconds since the start. */
  readonly moveTo: (t: number) => Promise<void>
}

const dayMs = 86_400_000
const serverStopMs = 60_000
/** In this order they are closed: connections before their server. */
export const stages = ['connections', 'server'] as const
export type BenchClosers = Closers<(typeof stages)[number]>
const migrations = fileURLToPath(new URL('../../server/migrations', import.meta.url))

export async function openVirtualDatabase(closers: BenchClosers, startMs: number): Promise<VirtualDatabase> {
  const server = await startThrowawayDatabase()
  closers.add('server', 'PostgreSQL', server.close, serverStopMs)
  await migrate(server.url, migrations, () => {})
  await makeClock(server.url)
  const url = new URL(server.url)
  const options = ['search_path=public,pg_catalog', 'synchronous_commit=off', `virtual.now_ms=${startMs}`]
  url.searchParams.set('options', options.map((option) => `-c ${option}`).join(' '))
  // One connection, because the time is one of its settings.
  const database = openDatabase(url.href.replaceAll('+', '%20'), 1, () => {})
  closers.add('connections', 'connections of the database', database.close)
  await makePartitions(database)

  let nowMs = startMs
  const moveTo = async (t: number) => {
    const nextMs = startMs + Math.round(t * 1000)
    if (nextMs === nowMs) return
    const isNextDay = Math.floor(nextMs / dayMs) !== Math.floor(nowMs / dayMs)
    nowMs = nextMs
    await database.query({
      name: 'set-clock',
      text: "select set_config('virtual.now_ms', $1, false)",
      values: [String(nowMs)],
    })
    if (isNextDay) await makePartitions(database)
  }
  return { database, nowMs: () => nowMs, moveTo }
}

/** Defines functions named like PostgreSQL's own, in a schema that is searched before `pg_catalog`. */
async function makeClock(url: string): Promise<void> {
  const database = openDatabase(url, 1, () => {})
  try {
    for (const name of ['clock_timestamp', 'now']) {
      await database.query({
        text: `create function public.${name}() returns timestamptz language sql stable
               as $$ select to_timestamp(current_setting('virtual.now_ms')::double precision / 1000) $$`,
      })
    }
  } finally {
    await database.close()
  }
}
