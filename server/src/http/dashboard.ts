import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { registerPage } from './other-methods.ts'
import { loadFiles, type StaticFiles, sendFile } from './static-files.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const noncePlaceholder = '__CSP_NONCE__'

export interface Dashboard {
  readonly page: string
  readonly files: StaticFiles
}

/** Null if the dashboard has not been built: the API runs without it. */
export async function loadDashboard(folder: string): Promise<Dashboard | null> {
  const files = await loadFiles(folder, (name) => types[extname(name)] ?? null)
  const page = files?.get('index.html')
  return files && page ? { page: page.plain.toString(), files } : null
}

/** Scripts and styles only from this origin; libraries that create a style element get the nonce. */
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
  const send = async (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
    const name = request.params['*']
    const file = files.get(name)
    // Every path gets the same page, which reads its own address. A missing file must not get it.
    if (!file || file.type.startsWith('text/html')) {
      if (extname(name) in types) return reply.callNotFound()
      return sendPage(request, reply)
    }
    return sendFile(request, reply, name, file)
  }
  registerPage(server, '/dashboard', sendPage)
  registerPage(server, '/dashboard/*', send)
}
