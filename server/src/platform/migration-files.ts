/** Compares what has been applied to a database with the files of this version. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Migration {
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/** In their order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      // A checkout may bring other ends of lines.
      const text = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

export interface Applied {
  readonly name: string
  readonly sha256: string | null
}

/** The column is asked for in this way because tables that are too old do not have it. */
export const appliedMigrations = `select name, to_jsonb(migrations) ->> 'sha256' as sha256 from migrations order by name`

export function compareMigrations(files: readonly Migration[], applied: readonly Applied[]) {
  const fileOf = new Map(files.map((file) => [file.name, file]))
  const done = new Set(applied.map(({ name }) => name))
  return {
    newer: applied.flatMap(({ name }) => (fileOf.has(name) ? [] : [name])),
    /** The file has changed since it was applied, so the tables are those of no version. */
    changed: applied.flatMap(({ name, sha256 }) => {
      const file = fileOf.get(name)
      return file && file.sha256 !== sha256 ? [name] : []
    }),
    missing: files.filter(({ name }) => !done.has(name)),
  }
}
