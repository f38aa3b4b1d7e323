/** What the service keeps in its data folder, and the command line looks for there. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { MasterKeys } from './data-keys.ts'
import { readOrMakePrivateFile } from './private-file.ts'

/** Where the command line finds the embedded database of a running service. */
export const databaseUrlFile = 'database-url'
/** Downloaded IP lists. */
export const ipListsFolder = (dataDir: string) => join(dataDir, 'ip-lists')

/** The master keys that were given, else the one in the folder. */
export async function masterKeysOf({
  masterKeys,
  dataDir,
}: {
  readonly masterKeys: readonly Buffer[] | null
  readonly dataDir: string
}): Promise<MasterKeys> {
  const [newest, ...older] = masterKeys ?? [
    Buffer.from(
      await readOrMakePrivateFile(join(dataDir, 'master-key'), () => randomBytes(32).toString('base64')),
      'base64',
    ),
  ]
  if (!newest) throw new Error('there is no master key')
  return { secrets: [newest, ...older] }
}
