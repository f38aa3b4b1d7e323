import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answer } from '../http/answer.ts'
import { Refusal } from '../http/refusal.ts'
import type { Handler } from '../http/router.ts'
import type { Inbox } from '../inbox.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A mail may have its own styles; nothing else may load or run.
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin"

/** The files of the phones page, read once: beside the bundle, or in the source tree. */
export function servePage(): Handler {
  const files = readPage()
  return ({ params }) => {
    const name = params[0] === undefined || params[0] === '' ? 'index.html' : params[0]
    const file = files.get(name)
    if (file === undefined) throw new Refusal(404, 'HTTPException', 'there is nothing at this path')
    return file
  }
}

export function serveMail(inbox: Inbox): Handler {
  return ({ params }) => {
    const html = inbox.find(params[0] ?? '')?.html
    if (html === undefined) throw new Refusal(404, 'HTTPException', 'there is no such mail')
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': MAIL_POLICY }
    return { status: 200, headers: { ...headers, 'referrer-policy': 'no-referrer' }, body: html }
  }
}

function readPage(): Map<string, Answer> {
  for (const place of ['./page/', '../page/']) {
    const folder = new URL(place, import.meta.url)
    try {
      return new Map(readdirSync(fileURLToPath(folder)).map((name) => [name, readFile(folder, name)]))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  return new Map()
}

function readFile(folder: URL, name: string): Answer {
  const headers = {
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
    'content-security-policy': PAGE_POLICY,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  }
  return { status: 200, headers, body: readFileSync(new URL(name, folder)) }
}
