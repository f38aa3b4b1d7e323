/** The built files of a folder, read once at start and kept in memory. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface StaticFile {
  readonly type: string
  readonly plain: Buffer
  /** Compressed at the first request, since most files never get one. Null for a file that is compressed already. */
  readonly zipped: (() => Promise<Buffer>) | null
}
export type StaticFiles = ReadonlyMap<string, StaticFile>

/** Null if there is no such folder. Only files with a known type are read. */
export async function loadFiles(
  folder: string,
  typeOf: (name: string) => string | null,
): Promise<StaticFiles | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null)
  if (!entries) return null
  const files = new Map<string, StaticFile>()
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path).split(sep).join('/')
    const type = typeOf(name)
    if (type === null) continue
    const plain = await readFile(path)
    files.set(name, { type, plain, zipped: type === 'image/png' ? null : zippedOnce(plain) })
  }
  return files
}

function zippedOnce(plain: Buffer): () => Promise<Buffer> {
  let zipped: Promise<Buffer> | undefined
  return () => {
    zipped ??= promisify(gzip)(plain)
    return zipped
  }
}

export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  { type, plain, zipped }: StaticFile,
) {
  const takesZipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  const content = takesZipped && zipped ? await zipped() : plain
  if (content !== plain) reply.header('content-encoding', 'gzip')
  // Names of built files contain a hash of their content.
  if (name.startsWith('assets/')) reply.header('cache-control', 'public, max-age=31536000, immutable')
  return reply.type(type).header('vary', 'accept-encoding').send(content)
}
