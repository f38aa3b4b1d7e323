/** What a web framework would do. */
import { readFile } from 'node:fs/promises'
import { webSdkFile } from './sdks.mjs'

const page = (name) => new URL(`page/${name}`, import.meta.url)
const files = {
  '/': [page('index.html'), 'text/html; charset=utf-8'],
  '/page.css': [page('page.css'), 'text/css'],
  '/page.js': [page('page.js'), 'text/javascript'],
  '/words.js': [page('words.js'), 'text/javascript'],
  '/countersign.js': [webSdkFile, 'text/javascript'],
}
const largestBodyBytes = 16_384

export async function sendPage(request, response, { baseUrl }) {
  const [file, type] = request.method === 'GET' && Object.hasOwn(files, request.url) ? files[request.url] : []
  if (!file) return send(response, 404, {})
  response.writeHead(200, {
    'content-type': type,
    'cache-control': 'no-cache',
    'content-security-policy': `default-src 'self'; img-src data:; connect-src 'self' ${baseUrl}; frame-ancestors 'none'`,
  })
  response.end(await readFile(file))
}

export function send(response, status, body, headers = {}) {
  if (response.headersSent) return response.end()
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

/** As it came: the signature of a webhook is over exactly these bytes. */
export async function rawBodyOf(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > largestBodyBytes) throw new SyntaxError('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export const cookieOf = (request, name) =>
  request.headers.cookie
    ?.split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
