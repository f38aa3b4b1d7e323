/** Compares the migrations that were applied to a database with the files of this version. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Migration {
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/** The migrations in the order in which they are applied. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      // A Git checkout may have changed the line endings.
      const text = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

export interface Applied {
  readonly name: string
  readonly sha256: string | null
}

/** Reads the column through JSON, because old tables do not have it. */
export const appliedMigrations = `select name, to_jsonb(migrations) ->> 'sha256' as sha256 from migrations order by name`

export function compareMigrations(files: readonly Migration[], applied: readonly Applied[]) {
  const fileOf = new Map(files.map((file) => [file.name, file]))
  const done = new Set(applied.map(({ name }) => name))
  return {
    newer: applied.flatMap(({ name }) => (fileOf.has(name) ? [] : [name])),
    /** Files that have changed since they were applied: the tables then match no version. */
    changed: applied.flatMap(({ name, sha256 }) => {
      const file = fileOf.get(name)
      return file && file.sha256 !== sha256 ? [name] : []
    }),
    missing: files.filter(({ name }) => !done.has(name)),
  }
}
