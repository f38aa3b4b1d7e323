/** What a web framework would do for you. */
import { readFile } from 'node:fs/promises'
import { CountersignError, WebhookVerificationError } from '@countersign/node'
import { settings } from './settings.mjs'

const page = (name) => new URL(`page/${name}`, import.meta.url)
const files = {
  '/': [page('index.html'), 'text/html; charset=utf-8'],
  '/page.css': [page('page.css'), 'text/css'],
  '/page.js': [page('page.js'), 'text/javascript'],
  '/words.js': [page('words.js'), 'text/javascript'],
  // With a bundler it would be part of the page's own script.
  '/countersign.js': [new URL(import.meta.resolve('@countersign/web')), 'text/javascript'],
}
const largestBodyBytes = 16_384

export async function sendPage({ method, url }, response) {
  if (method !== 'GET') return send(response, 404, {})
  if (url === '/config.json') return send(response, 200, settings.forPage)
  const [file, type] = Object.hasOwn(files, url) ? files[url] : []
  if (!file) return send(response, 404, {})
  const connections = `'self' ${settings.baseUrl}`
  response.writeHead(200, {
    'content-type': type,
    'cache-control': 'no-cache',
    'content-security-policy': `default-src 'self'; img-src data:; connect-src ${connections}; frame-ancestors 'none'`,
  })
  response.end(await readFile(file))
}

export function send(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** Errors that the page can act on are passed on to it; all others are logged. */
export function sendError(response, error) {
  if (response.headersSent) return response.end()
  if (error instanceof WebhookVerificationError || error instanceof SyntaxError)
    return send(response, 400, {})
  const { status = 500, type, retryAfter } = error instanceof CountersignError ? error : {}
  // Without an answer of the service there is nothing that the page could say about it.
  const isForPage =
    type !== undefined && type !== 'UnexpectedAnswer' && ![null, 401, 402, 500].includes(status)
  if (!isForPage) console.error(error)
  send(response, isForPage ? status : 500, isForPage ? { type, retryAfter } : {})
}

/** The body as it came: the signature of a webhook is over exactly these bytes. */
export async function rawBodyOf(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > largestBodyBytes) throw new SyntaxError('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export const cookieOf = (request, name) =>
  request.headers.cookie
    ?.split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
