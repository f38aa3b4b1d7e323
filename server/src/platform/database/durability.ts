/** Whether what PostgreSQL has committed is still there after its machine has lost power. */
import type { Queryable } from '../database.ts'

/**
 * Settings with which committed data may be lost, such as `fsync=off`. A role or a database may have its own settings,
 * so they are read over a connection of the service.
 */
export async function findWeakSettings(queryable: Queryable): Promise<string[]> {
  const found = await queryable.query<{ setting: string }>({
    text: `select name || '=' || setting as setting from pg_settings
            where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name`,
  })
  return found.rows.map(({ setting }) => setting)
}
