/** A PgBouncer in transaction mode in front of a database, if one is installed. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { chooseSystemUser } from '../../src/platform/embedded-database/system-user.ts'
import { findFreePort } from '../../src/platform/free-port.ts'
import { until } from './fixtures.ts'

/** The first line of its version, such as `PgBouncer 1.18.0`; null if it is not installed. */
export const installedPgBouncer = (): string | null =>
  spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0] || null

export async function startPgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-pgbouncer-'))
  const port = await findFreePort('127.0.0.1')
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users.txt'),
    pool_mode: 'transaction',
    default_pool_size: '5',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`)
  await writeFile(join(folder, 'users.txt'), `"${username}" "${password}"\n`)
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join('\n')}\n`,
  )
  // PgBouncer does not run as root.
  const user = await chooseSystemUser(folder)
  if (user)
    for (const name of ['', 'users.txt', 'pgbouncer.ini']) await chown(join(folder, name), user.uid, user.gid)
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { ...user, stdio: 'ignore' })
  const end = () => child.kill('SIGINT')
  process.once('exit', end)
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  await until('PgBouncer to answer', async () => {
    const client = new pg.Client({ connectionString: url.href })
    client.on('error', () => {})
    const isThere = await client.connect().then(
      () => true,
      () => false,
    )
    if (isThere) await client.end()
    return isThere
  })
  return {
    url: url.href,
    close: async () => {
      process.off('exit', end)
      const ended = once(child, 'exit')
      // Other signals wait for its clients, SIGTERM since PgBouncer 1.23.
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
