import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Answer, json, sendAnswer } from './answer.ts'
import { assertKnownHost } from './host-name.ts'
import { assertOwnOrigin } from './origin.ts'
import { Refusal } from './refusal.ts'
import { getRoute, type Route } from './router.ts'

const REQUEST_TIMEOUT_MS = 30_000
// Longer than clients keep idle connections, so that none is closed under a request.
const KEEP_ALIVE_MS = 75_000

export function createHttpServer(routes: readonly Route[], publicHost: string | null): Server {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      answerRequest(routes, publicHost, request, response)
        .catch((error: unknown) => toAnswer(error))
        .then((answer) => {
          if (answer !== null) sendAnswer(response, answer)
        })
    },
  )
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

async function answerRequest(
  routes: readonly Route[],
  publicHost: string | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | null> {
  assertKnownHost(request, publicHost)
  assertOwnOrigin(request)
  const target = request.url ?? '/'
  if (!URL.canParse(target, 'http://simulator'))
    throw new Refusal(400, 'HTTPException', 'the path is malformed')
  const url = new URL(target, 'http://simulator')
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET')
  const route = getRoute(routes, method, url.pathname)
  return route.handle({ request, response, url, params: route.params })
}

function toAnswer(error: unknown): Answer {
  if (error instanceof Refusal) return error.toAnswer()
  console.error(error)
  return json(500, { error: { type: 'InternalError', message: 'the simulator failed', details: {} } })
}
