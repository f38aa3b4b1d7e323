/** The database of a running service, for what has to be moved in it because nobody can wait for it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { RunningService } from './process.ts'

export async function withDatabase<Result>(
  { dataDir }: RunningService,
  run: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const connectionString = (await readFile(join(dataDir, 'database-url'), 'utf8')).trim()
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}
