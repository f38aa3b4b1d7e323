import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const COMMAND_LIMIT_MS = 10_000

/** The OS account that PostgreSQL runs under. Absent: the account of this process. */
export type Account = { readonly uid: number; readonly gid: number }

/** PostgreSQL refuses to run as root, so root hands it to somebody else: first of all to whoever owns the data. */
export async function chooseAccount(clusterDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(clusterDir).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const existing =
    (await findAccount('postgres')) ?? (await findAccount('_postgres')) ?? (await findAccount('countersign'))
  const account = existing ?? (await createAccount('countersign')) ?? (await findAccount('nobody'))
  if (account) return account
  throw new Error(
    'PostgreSQL does not run as root, and no other account could be found or made for it. Start as a normal user, or set DATABASE_URL.',
  )
}

async function findAccount(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([
      run('id', ['-u', name], { timeout: COMMAND_LIMIT_MS }),
      run('id', ['-g', name], { timeout: COMMAND_LIMIT_MS }),
    ])
    const account = { uid: Number.parseInt(uid.stdout, 10), gid: Number.parseInt(gid.stdout, 10) }
    return account.uid > 0 && account.gid >= 0 ? account : undefined
  } catch {
    return undefined
  }
}

async function createAccount(name: string): Promise<Account | undefined> {
  const home = '/nonexistent'
  const ways: [string, string[]][][] = [
    [
      ['groupadd', ['--system', name]],
      ['useradd', ['--system', '-g', name, '-M', '-d', home, '-s', '/bin/false', name]],
    ],
    // busybox
    [
      ['addgroup', ['-S', name]],
      ['adduser', ['-S', '-D', '-H', '-h', home, '-s', '/bin/false', '-G', name, name]],
    ],
  ]
  for (const way of ways) {
    for (const [command, args] of way)
      await run(command, args, { timeout: COMMAND_LIMIT_MS }).catch(() => undefined)
    const account = await findAccount(name)
    if (account) return account
  }
  return undefined
}
