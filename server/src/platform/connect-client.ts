/** One connection to PostgreSQL, beside the pool. */
import type pg from 'pg'

/**
 * The driver leaves a connection open that fails on this side, as when the server wants a password and there is none:
 * the server and this process would both wait a minute for it.
 */
export async function connectClient(client: pg.Client): Promise<void> {
  try {
    await client.connect()
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}
