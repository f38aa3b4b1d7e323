/** Reports a full disk before anything else. PostgreSQL cannot report it, since its log is on the same disk. */
import { statfs } from 'node:fs/promises'

export type FreeBytesOf = (folder: string) => Promise<number>

/** The bytes that this user may still write. */
export const freeBytesOf: FreeBytesOf = async (folder) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** PostgreSQL writes its WAL in files of 16 MB, and keeps one ahead. */
const leastBytes = 32_000_000
/** What a new database takes. If it does not fit, PostgreSQL removes what it has written, so there is room again. */
const newBytes = 100_000_000

/**
 * Returns an error that says the disk is full, if it is, else the given error. The given error does not become the
 * cause, since its code would then be explained instead: without room, PostgreSQL may just close its connections.
 */
export async function orFullDisk(folder: string, freeBytes: FreeBytesOf, error: unknown): Promise<unknown> {
  const free = await freeBytes(folder).catch(() => newBytes)
  const needed =
    error instanceof Error && /No space left on device/.test(error.message) ? newBytes : leastBytes
  if (free >= needed) return error
  return new Error(
    `The disk of ${folder} is full: ${Math.floor(free / 1e6)} MB are free, and PostgreSQL needs ${needed / 1e6}. Make room on it.`,
  )
}
