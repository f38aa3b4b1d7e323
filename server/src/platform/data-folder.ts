/** The files that the service keeps in its data folder, some of which the command line reads. */
import { randomBytes } from 'node:crypto'
import { access, constants, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from './config-error.ts'
import type { MasterKeys } from './data-keys.ts'
import { codeOf } from './error-code.ts'
import { makeFolder } from './make-folder.ts'
import { readOrMakePrivateFile, UnreadableFileError } from './private-file.ts'
import { isToken, masterKeyRule, parseMasterKey, tokenRule } from './secret-rules.ts'

/** Where the command line finds the embedded database of a running service. */
export const databaseUrlFile = 'database-url'
export const ipListsFolder = (dataDir: string) => join(dataDir, 'ip-lists')

const masterKeyFile = 'master-key'
const adminTokenFile = 'admin-token'

interface GivenMasterKeys {
  readonly masterKeys: readonly Buffer[] | null
  readonly dataDir: string
}

/** Makes the folder if it is missing. Throws an error that says why, if it cannot be used. */
export async function openDataFolder(path: string): Promise<string> {
  try {
    await makeFolder(path, 0o700)
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return await realpath(path)
  } catch (cause) {
    throw new Error(`The data folder ${path} cannot be used${sayUnusable(cause)}`, { cause })
  }
}

/** On a full or read-only disk the advice differs: there, changing the owner of the folder would not help. */
export function sayUnusable(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause)
  switch (codeOf(cause)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return ` (${reason}): make room on its disk, or set DATA_DIR to another folder.`
    case 'EROFS':
      return ` (${reason}): mount its file system for writing, or set DATA_DIR to another folder.`
    case 'EEXIST':
    case 'ENOTDIR':
      return ` (${reason}): a file is in its place, so set DATA_DIR to another folder.`
    default:
      return ` by this user (${reason}): change its owner, or set DATA_DIR to another folder.`
  }
}

/**
 * Call this before a database is made in the folder. Once there is a database, a missing master key is a lost one, and
 * a new key could decrypt nothing.
 */
export async function makeMasterKey({ masterKeys, dataDir }: GivenMasterKeys): Promise<void> {
  if (masterKeys) return
  const file = join(dataDir, masterKeyFile)
  const hasDatabase = await exists(join(dataDir, 'postgres'))
  if (hasDatabase && !(await exists(file))) throw lostMasterKey(file)
  await readOrMakePrivateFile(file, () => randomBytes(32).toString('base64'))
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

const lostMasterKey = (file: string) =>
  new ConfigError(
    `${file} is missing, and without it what the database beside it holds cannot be read. Restore it from your backup, or set MASTER_KEY to the key that was in it.`,
  )

/** The given master keys, or else the one in the folder. */
export async function masterKeysOf({ masterKeys, dataDir }: GivenMasterKeys): Promise<MasterKeys> {
  const [newest, ...older] = masterKeys ?? [await readMasterKey(join(dataDir, masterKeyFile))]
  if (!newest) throw new Error('there is no master key')
  return { secrets: [newest, ...older] }
}

async function readMasterKey(file: string): Promise<Buffer> {
  const raw = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? lostMasterKey(file) : new UnreadableFileError(file, error)
  })
  const key = parseMasterKey(raw)
  if (key) return key
  throw new ConfigError(
    `What is in ${file} is no master key: it ${masterKeyRule}. Restore it from your backup, or set MASTER_KEY.`,
  )
}

/** The given operator's token, or else the one in the folder. */
export async function adminTokenOf({
  adminToken,
  dataDir,
}: {
  readonly adminToken: string | null
  readonly dataDir: string
}): Promise<string> {
  if (adminToken !== null) return adminToken
  const file = join(dataDir, adminTokenFile)
  const token = await readOrMakePrivateFile(file, () => randomBytes(24).toString('base64url'))
  if (isToken(token)) return token
  throw new ConfigError(
    `The token in ${file} ${tokenRule}. Write another one, or remove the file: the next start makes one.`,
  )
}
