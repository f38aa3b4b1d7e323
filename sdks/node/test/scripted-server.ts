/** A server that treats each request as its script says, and remembers the requests. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { answers, type Called } from '../../answers.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export type Step = (response: ServerResponse, received: Received) => void

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** What the service answers to a call of this path. */
export const answered: Step = (response, received) => {
  const last = received.path.split('/').at(-1) ?? ''
  const called = Object.hasOwn(answers, last) ? (last as Called) : 'get'
  answer(200, answers[called], { 'x-more': 'yes' })(response, received)
}

export const refuse = (status: number, type: string, details = {}, headers = {}): Step =>
  answer(
    status,
    { error: { type, message: `about ${type}`, details }, request_id: 'req_of_the_service' },
    headers,
  )

/** The request was read, and perhaps acted on, but its answer never comes. */
export const drop: Step = (response) => response.destroy()

export const dropMidway: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
  response.write('{"otp_id": "otp_', () => response.destroy())
}

export const stayQuiet: Step = () => undefined

export const stallMidway: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"otp_id"')
}

/** Each request uses one step, in order; the last step is repeated. */
export async function serve(
  t: TestContext,
  ...steps: Step[]
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  // It never closes an idle connection: after a pause of the machine, a call might just be using it.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const body = await text(request)
    const one: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: body === '' ? undefined : JSON.parse(body),
    }
    received.push(one)
    const step = steps[Math.min(received.length, steps.length) - 1]
    assert.ok(step)
    step(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return { url: `http://127.0.0.1:${address.port}`, received }
}
