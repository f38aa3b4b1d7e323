/** One connection to PostgreSQL, beside the pool. */
import type pg from 'pg'

/**
 * The driver leaves a connection open that fails on this side, as where the server wants a password and there is none:
 * the server would wait a minute for it, and this process too.
 */
export async function connectClient(client: pg.Client): Promise<void> {
  try {
    await client.connect()
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}
