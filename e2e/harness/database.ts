/** Access to the database of a running service, for tests that change times in it instead of waiting. */
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
