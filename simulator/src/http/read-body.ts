import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

const MAX_BODY_BYTES = 256 * 1024

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    const part: Buffer = Buffer.from(chunk)
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) {
      throw new Refusal(
        413,
        'HTTPException',
        `the body is over ${MAX_BODY_BYTES} bytes`,
        {},
        { connection: 'close' },
      )
    }
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (mediaType(request) !== 'application/json') {
    throw new Refusal(415, 'HTTPException', 'the content type must be application/json')
  }
  return parseJson((await readBody(request)).toString('utf8'))
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(422, 'ValidationError', 'the body is not JSON', {
      fields: [{ path: '', message: 'must be JSON' }],
    })
  }
}
