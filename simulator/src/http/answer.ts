import type { ServerResponse } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Buffer
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  }
}

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(answer.status, {
    'x-content-type-options': 'nosniff',
    'content-length': String(Buffer.byteLength(answer.body)),
    ...answer.headers,
  })
  response.end(answer.body)
}
