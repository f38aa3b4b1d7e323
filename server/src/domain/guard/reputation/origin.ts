/** Where a list comes from, and when to look again: a file of the operator, or a URL to download. */
import { readFile, stat } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type { ListCache } from './list-cache.ts'
import { UnreadableError } from './unreadable.ts'

interface News<Parsed> {
  /** Null if only the age of the list is new. */
  readonly parsed: Parsed | null
  readonly datedMs: number
}

export interface Origin<Parsed> {
  /** What is new, or null; rejects when the list cannot be read. */
  readonly look: () => Promise<News<Parsed> | null>
  /** Whether a list stays trusted while it cannot be read again: a publisher may be down for a day. */
  readonly isKeptOnFailure: boolean
}

type Parse<Parsed> = (bytes: Buffer) => Promise<Parsed>

/** The largest file or download. */
const maxBytes = 400 * 1024 * 1024

export function fileOrigin<Parsed>(path: string, parse: Parse<Parsed>): Origin<Parsed> {
  let seen = ''
  let failure: unknown = null
  return {
    isKeptOnFailure: false,
    look: async () => {
      const { mtimeMs, ctimeMs, size, ino } = await stat(path)
      const found = `${mtimeMs} ${ctimeMs} ${size} ${ino}`
      if (found === seen) {
        if (failure !== null) throw failure
        return null
      }
      try {
        if (size > maxBytes) throw new UnreadableError('is too large')
        const parsed = await parse(await readFile(path))
        failure = null
        return { parsed, datedMs: mtimeMs }
      } catch (error) {
        failure = error
        throw error
      } finally {
        seen = found
      }
    },
  }
}

export interface DownloadOptions {
  readonly cache: ListCache
  readonly everyMs: number
  readonly nowMs: () => number
  readonly signal: AbortSignal
}

const downloadMs = 120_000
const retryMs = { first: 60_000, longest: 3_600_000 }

/** The date of a download is when its publisher last sent it, or answered that it has not changed. */
export function urlOrigin<Parsed>(
  url: string,
  parse: Parse<Parsed>,
  { cache, everyMs, nowMs, signal }: DownloadOptions,
): Origin<Parsed> {
  let isCacheRead = false
  let validators: Validators = { etag: null, lastModified: null }
  let nextMs = 0
  let failures = 0

  async function readCache(): Promise<News<Parsed> | null> {
    const kept = await cache.read()
    if (!kept) return null
    const parsed = await parse(kept.bytes).catch(() => null)
    if (parsed === null) return null
    validators = kept
    nextMs = kept.checkedMs + everyMs
    return { parsed, datedMs: kept.checkedMs }
  }

  async function download(): Promise<News<Parsed>> {
    const response = await fetch(...requestFor(url, validators, signal))
    const datedMs = nowMs()
    if (response.status === 304) {
      await cache.confirm({ ...validators, checkedMs: datedMs })
      return { parsed: null, datedMs }
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new UnreadableError(`its publisher answered ${response.status}`)
    }
    const bytes = await readBounded(response)
    // A list that cannot be parsed does not replace one that can.
    const parsed = await parse(bytes)
    validators = { etag: response.headers.get('etag'), lastModified: response.headers.get('last-modified') }
    await cache.write(bytes, { ...validators, checkedMs: datedMs })
    return { parsed, datedMs }
  }

  return {
    isKeptOnFailure: true,
    look: async () => {
      if (!isCacheRead) {
        isCacheRead = true
        const kept = await readCache()
        if (kept) return kept
      }
      if (nowMs() < nextMs) return null
      try {
        const news = await download()
        failures = 0
        nextMs = nowMs() + everyMs
        return news
      } catch (error) {
        nextMs = nowMs() + Math.min(retryMs.longest, retryMs.first * 2 ** failures++)
        throw error
      }
    },
  }
}

/** Reads the cache only, for commands that just show the lists. */
export function cachedOrigin<Parsed>(cache: ListCache, parse: Parse<Parsed>): Origin<Parsed> {
  return {
    isKeptOnFailure: true,
    look: async () => {
      const kept = await cache.read()
      if (!kept) throw new UnreadableError('has not been downloaded')
      return { parsed: await parse(kept.bytes), datedMs: kept.checkedMs }
    },
  }
}

interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** `fetch` takes no credentials in an address, so they go into a header. */
function requestFor(text: string, { etag, lastModified }: Validators, signal: AbortSignal) {
  const url = new URL(text)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const headers: Record<string, string> = { 'user-agent': 'countersign' }
  if (credentials !== ':') headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  if (etag !== null) headers['if-none-match'] = etag
  if (lastModified !== null) headers['if-modified-since'] = lastModified
  url.username = ''
  url.password = ''
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(downloadMs)])
  return [url.href, { headers, signal: bounded }] as const
}

async function readBounded(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new UnreadableError('is too large')
    chunks.push(chunk)
  }
  if (size === 0) throw new UnreadableError('is empty')
  return joinInTurns(chunks, size)
}

const copiedPerTurn = 8 * 1024 * 1024

/** `Buffer.concat` of the largest database blocks the event loop for a tenth of a second. */
async function joinInTurns(chunks: readonly Uint8Array[], size: number): Promise<Buffer> {
  const joined = Buffer.allocUnsafe(size)
  let at = 0
  let turnAt = copiedPerTurn
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.length
    if (at < turnAt) continue
    turnAt = at + copiedPerTurn
    await turn()
  }
  return joined
}
