/** Files that only their owner may read, and that are written whole or not at all. */
import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** The file exists, but this user may not read it. */
export class UnreadableFileError extends Error {
  constructor(file: string, cause: NodeJS.ErrnoException) {
    super(
      `${file} cannot be read (${cause.code}). Run this as the user to whom it belongs, or change its owner.`,
    )
  }
}

export async function writePrivateFile(file: string, text: string): Promise<void> {
  const temporary = await writeBeside(file, text)
  await rename(temporary, file)
}

/** Reads the file, or makes it with `make`. If two processes make it at once, one wins and both read the same. */
export async function readOrMakePrivateFile(file: string, make: () => string): Promise<string> {
  const present = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // A file that may not be read exists, and must not be replaced.
    if (error.code !== 'ENOENT') throw new UnreadableFileError(file, error)
    return null
  })
  if (present !== null) return present.trim()
  const temporary = await writeBeside(file, `${make()}\n`)
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary, { force: true })
  return (await readFile(file, 'utf8')).trim()
}

async function writeBeside(file: string, text: string): Promise<string> {
  await makeFolder(dirname(file), 0o755)
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  // Flushed to the disk before it gets its name: a master key that is empty after a power cut is lost.
  await writeFile(temporary, text, { mode: 0o600, flush: true })
  return temporary
}
