/** Downloaded lists on disk, for the next start: the bytes, and beside them the validators of the next request. */
import { createHash, randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../../../platform/make-folder.ts'

const stamp = z.object({
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  checked_at_ms: z.number(),
})

interface Stamp {
  readonly etag: string | null
  readonly lastModified: string | null
  readonly checkedMs: number
}

export interface ListCache {
  readonly read: () => Promise<({ readonly bytes: Buffer } & Stamp) | null>
  readonly write: (bytes: Buffer, kept: Stamp) => Promise<void>
  readonly confirm: (kept: Stamp) => Promise<void>
}

const noCache: ListCache = { read: async () => null, write: async () => {}, confirm: async () => {} }

/** Files are named by a hash, since a URL may contain a token. A list that is not written is missing at restart. */
export function listCache(
  folder: string | null,
  url: string,
  onError: (error: unknown) => void = () => {},
): ListCache {
  if (folder === null) return noCache
  const name = createHash('sha256').update(url).digest('hex').slice(0, 32)
  const [bytesFile, stampFile] = [join(folder, `${name}.list`), join(folder, `${name}.json`)]
  const put = async (file: string, content: Buffer | string) => {
    const temporary = `${file}.${randomBytes(6).toString('hex')}`
    await makeFolder(folder)
    await writeFile(temporary, content, { mode: 0o600 })
    await rename(temporary, file)
  }
  const putStamp = ({ etag, lastModified, checkedMs }: Stamp) =>
    put(stampFile, JSON.stringify({ etag, last_modified: lastModified, checked_at_ms: checkedMs }))
  return {
    read: async () => {
      try {
        const kept = stamp.parse(JSON.parse(await readFile(stampFile, 'utf8')))
        const { etag, last_modified: lastModified, checked_at_ms: checkedMs } = kept
        return { bytes: await readFile(bytesFile), etag, lastModified, checkedMs }
      } catch {
        return null
      }
    },
    // In this order: new bytes with an old stamp are downloaded again, while old bytes with a new stamp would never be.
    write: (bytes, kept) =>
      put(bytesFile, bytes)
        .then(() => putStamp(kept))
        .catch(onError),
    confirm: (kept) => putStamp(kept).catch(onError),
  }
}
