/** The dashboard's files, read once at the start and kept ready in memory. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseOtherMethods } from './other-methods.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const noncePlaceholder = '__CSP_NONCE__'

interface File {
  readonly type: string
  readonly plain: Buffer
  readonly zipped: Buffer
}

export interface Dashboard {
  readonly page: string
  readonly files: ReadonlyMap<string, File>
}

/** Null where it has not been built: the API goes without. */
export async function loadDashboard(folder: string): Promise<Dashboard | null> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null)
  if (!names) return null
  const files = new Map<string, File>()
  for (const entry of names.filter((name) => name.isFile() && extname(name.name) in types)) {
    const path = join(entry.parentPath, entry.name)
    const plain = await readFile(path)
    const name = relative(folder, path).split(sep).join('/')
    files.set(name, {
      type: types[extname(path)] ?? 'application/octet-stream',
      plain,
      zipped: await promisify(gzip)(plain),
    })
  }
  const page = files.get('index.html')
  return page ? { page: page.plain.toString(), files } : null
}

/** Scripts and styles from here alone; libraries that make a style element are given the nonce. */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

export function registerDashboard(server: FastifyInstance, { page, files }: Dashboard): void {
  const sendPage = async (_request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64')
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policyOf(nonce))
      .header('referrer-policy', 'no-referrer')
      .send(page.replaceAll(noncePlaceholder, nonce))
  }
  const sendFile = async (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
    const file = files.get(request.params['*'])
    // Every page is the same page: it reads its own address. A missing file must not look like one.
    if (!file || file.type.startsWith('text/html')) {
      if (extname(request.params['*']) in types) return reply.callNotFound()
      return sendPage(request, reply)
    }
    const isZipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (isZipped) reply.header('content-encoding', 'gzip')
    // Names of built files carry a hash of what is in them.
    if (request.params['*'].startsWith('assets/')) {
      reply.header('cache-control', 'public, max-age=31536000, immutable')
    }
    return reply
      .type(file.type)
      .header('vary', 'accept-encoding')
      .send(isZipped ? file.zipped : file.plain)
  }
  server.get('/dashboard', sendPage)
  server.get('/dashboard/*', sendFile)
  refuseOtherMethods(server, [
    { method: 'GET', url: '/dashboard' },
    { method: 'GET', url: '/dashboard/*' },
  ])
}
