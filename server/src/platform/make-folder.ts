import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * With all that is missing above it. Node's own `recursive` never comes back from a file system that takes no new
 * folders and says that the parent is missing, as /proc does.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent, mode)
  await mkdir(path, mode).catch(async (error: unknown) => {
    // Another start was faster.
    if (!(await isFolder(path))) throw error
  })
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
