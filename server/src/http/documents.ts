/** The site at `/docs`: pages made at build time, each as HTML and as Markdown, and `/llms.txt`. */
import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { registerPage } from './other-methods.ts'
import { loadFiles, type StaticFiles, sendFile } from './static-files.ts'

const html = 'text/html; charset=utf-8'
const plainText = 'text/plain; charset=utf-8'
const types: Readonly<Record<string, string>> = {
  '.html': html,
  '.md': 'text/markdown; charset=utf-8',
  '.txt': plainText,
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Files of the repository that the documents link to are sent as plain text, so that none is executed. */
const typeOf = (name: string) =>
  name.startsWith('repository/') && !/\.(?:html|md|png)$/.test(name)
    ? plainText
    : (types[extname(name)] ?? null)

/** Null if the site has not been built: the API runs without it. */
export async function loadDocuments(folder: string): Promise<StaticFiles | null> {
  const files = await loadFiles(folder, typeOf)
  return files?.has('index.html') ? files : null
}

/** Scripts and styles only from this origin, and calls only to this service. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function registerDocuments(server: FastifyInstance, files: StaticFiles): void {
  const send = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    // The address of a page has no file extension.
    const found = files.has(name) && !name.endsWith('.html') ? name : `${name}.html`
    const file = files.get(found)
    if (!file) return sendMissing(request, reply)
    if (file.type === html || file.type === 'image/svg+xml') reply.header('content-security-policy', policy)
    return sendFile(request, reply, found, file)
  }
  /** Answers with a page for people, and with the common error body for programs. */
  const sendMissing = (request: FastifyRequest, reply: FastifyReply) => {
    const page = files.get('404.html')
    if (!page || !request.headers.accept?.includes('text/html')) return reply.callNotFound()
    return sendFile(request, reply.code(404).header('content-security-policy', policy), '404.html', page)
  }
  registerPage(server, '/docs', async (request, reply) => send(request, reply, 'index'))
  registerPage(server, '/docs/*', async (request, reply) => {
    const name = request.params['*']
    // The OpenAPI document is served by the API.
    if (name === 'openapi.json') return reply.redirect('/api/v1/openapi.json')
    return send(request, reply, name === '' ? 'index' : name.replace(/\/$/, ''))
  })
  registerPage(server, '/llms.txt', async (request, reply) => send(request, reply, 'llms.txt'))
}
