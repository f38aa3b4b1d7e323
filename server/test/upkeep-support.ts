/** The pools of two nodes; partitions of days as a test needs them, and which of them exist. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../src/platform/database.ts'
import { type IdKind, lowestId } from '../src/platform/ids.ts'
import { cutByDay } from '../src/platform/partitions.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'

export const dayMs = 86_400_000
/** Longer than a test takes. */
const minuteMs = 60_000

/** These tests count days from today, so in the last minute of a day they wait for the next. */
export async function stayInOneDay(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < minuteMs) await sleep(leftMs + 1_000)
}

const idKinds: Readonly<Record<string, IdKind>> = cutByDay

/** What two nodes would do to one database, without the nodes. */
export async function openTwoPools(create: () => Promise<TestDatabase> = createTestDatabase) {
  const database = await create()
  const first = openDatabase(database.url, 6, () => {})
  const second = openDatabase(database.url, 6, () => {})
  return {
    database,
    first,
    second,
    close: async () => {
      await Promise.all([first.close(), second.close()])
      await database.close()
    },
  }
}

export const dayName = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10).replaceAll('-', '')

export function partitionsOf(database: TestDatabase) {
  const today = async () => {
    const [row] = await database.query<{ ms: string }>('select extract(epoch from now()) * 1000 as ms')
    return Math.floor(Number(row?.ms) / dayMs) * dayMs
  }
  const parents = async () =>
    (
      await database.query<{ name: string }>(
        `select relname::text as name from pg_class where relkind = 'p' order by 1`,
      )
    ).map(({ name }) => name)
  const daysOf = async (table: string) =>
    (
      await database.query<{ day: string }>(
        `select right(child.relname, 8)::text as day from pg_inherits join pg_class child on child.oid = inhrelid
          where inhparent = $1::regclass order by 1`,
        [table],
      )
    ).map(({ day }) => day)
  /** Makes partitions of these days, relative to today, for every partitioned table. */
  const make = async (...days: readonly number[]) => {
    for (const table of await parents()) {
      const idKind = idKinds[table]
      assert.ok(idKind, `${table} is cut by day; its kind of id belongs into the list above`)
      for (const day of days) {
        const start = (await today()) + day * dayMs
        await database.query(
          `create table if not exists ${table}_${dayName(start)} partition of ${table}
             for values from ('${lowestId(idKind, start)}') to ('${lowestId(idKind, start + dayMs)}')`,
        )
      }
    }
  }
  /** Which of these days every table has, and which none has. A day that only some have is an error. */
  const present = async (...days: readonly number[]) => {
    const start = await today()
    const tables = await Promise.all((await parents()).map(daysOf))
    return days.filter((day) => {
      const having = tables.filter((own) => own.includes(dayName(start + day * dayMs)))
      assert.ok(having.length === 0 || having.length === tables.length, `only some tables have day ${day}`)
      return having.length > 0
    })
  }
  return { today, parents, daysOf, make, present }
}
