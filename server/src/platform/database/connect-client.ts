/** One connection to PostgreSQL, beside the pool. */
import type pg from 'pg'

/**
 * The driver does not close a connection that fails on this side, for example when the server wants a password and
 * there is none. The server and this process would both keep it for a minute.
 */
export async function connectClient(client: pg.Client): Promise<void> {
  try {
    await client.connect()
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}
