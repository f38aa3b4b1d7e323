import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and any missing parents. Node's own `recursive` never returns on a file system that allows no new
 * folders and reports a missing parent, as /proc does.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent, mode)
  await mkdir(path, mode).catch(async (error: unknown) => {
    // Another process made it first.
    if (!(await isFolder(path))) throw error
  })
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
