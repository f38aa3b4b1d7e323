/** A full disk is reported before anything else: PostgreSQL cannot, since its log is on the same disk. */
import { statfs } from 'node:fs/promises'

export type FreeBytesOf = (folder: string) => Promise<number>

/** What this user may still write. */
export const freeBytesOf: FreeBytesOf = async (folder) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** PostgreSQL writes its log of changes in pieces of 16 MB, and keeps one ahead. */
const leastBytes = 32_000_000

/**
 * The error that tells of a full disk, where it is full; else the one that is given. It does not keep the other as its
 * cause, whose code would be explained instead: a PostgreSQL that finds no room may just close its connections.
 */
export async function orFullDisk(folder: string, freeBytes: FreeBytesOf, error: unknown): Promise<unknown> {
  const free = await freeBytes(folder).catch(() => leastBytes)
  if (free >= leastBytes) return error
  return new Error(
    `The disk of ${folder} is full: ${Math.floor(free / 1e6)} MB are free, and PostgreSQL needs ${leastBytes / 1e6}. Make room on it.`,
  )
}
