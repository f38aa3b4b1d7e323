import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const commandLimitMs = 10_000

/** The OS user that PostgreSQL runs as. Undefined means the user of this process. */
export type SystemUser = { readonly uid: number; readonly gid: number }

/** PostgreSQL refuses to run as root, so root runs it as another user, preferably the owner of the data. */
export async function chooseSystemUser(clusterDir: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(clusterDir).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const existing =
    (await findUser('postgres')) ?? (await findUser('_postgres')) ?? (await findUser('countersign'))
  const user = existing ?? (await createUser('countersign')) ?? (await findUser('nobody'))
  if (user) return user
  throw new Error(
    'PostgreSQL does not run as root, and no other user could be found or made for it. Start as a normal user, or set DATABASE_URL.',
  )
}

async function findUser(name: string): Promise<SystemUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([
      run('id', ['-u', name], { timeout: commandLimitMs }),
      run('id', ['-g', name], { timeout: commandLimitMs }),
    ])
    const user = { uid: Number.parseInt(uid.stdout, 10), gid: Number.parseInt(gid.stdout, 10) }
    return user.uid > 0 && user.gid >= 0 ? user : undefined
  } catch {
    return undefined
  }
}

async function createUser(name: string): Promise<SystemUser | undefined> {
  const home = '/nonexistent'
  const ways: [string, string[]][][] = [
    [
      ['groupadd', ['--system', name]],
      ['useradd', ['--system', '-g', name, '-M', '-d', home, '-s', '/bin/false', name]],
    ],
    // The same for BusyBox.
    [
      ['addgroup', ['-S', name]],
      ['adduser', ['-S', '-D', '-H', '-h', home, '-s', '/bin/false', '-G', name, name]],
    ],
  ]
  for (const way of ways) {
    for (const [command, args] of way)
      await run(command, args, { timeout: commandLimitMs }).catch(() => undefined)
    const user = await findUser(name)
    if (user) return user
  }
  return undefined
}
