/** The HTTP server: routes from the table, who calls, one error body, one request id. */
import { isUtf8 } from 'node:buffer'
import { AppError } from '@countersign/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import type { NoteCallError } from '../domain/insight/index.ts'
import type { Principal } from '../domain/tenancy/index.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { refuseExpectations, refuseTunnels } from './bare-refusal.ts'
import { createErrorHandler, refusalOf, sendError } from './errors.ts'
import { countInside, type Gate } from './gate.ts'
import { keepWhileInWork } from './idle.ts'
import { callErrorOf } from './noted-errors.ts'
import { routedMethod } from './other-methods.ts'
import { type RegisterOptions, registerRoutes } from './register.ts'
import { requestIdOf } from './request-id.ts'
import type { Route } from './route.ts'
import { type Stopping, stopPromptly } from './stop.ts'
import { traceCall } from './trace-call.ts'
import { createRefuseUnreadable } from './unreadable.ts'

export interface ServerOptions extends RegisterOptions, Stopping {
  readonly routes: readonly Route[]
  /** Errors that callers with a key get are noted here; absent where nobody calls. */
  readonly noteError?: NoteCallError | undefined
  /** `authenticate` asks it first. */
  readonly gate: Gate
  readonly log: Log
  readonly metrics: Metrics
  /** A call with a key was refused. */
  readonly noteKeyError: (principal: Principal) => void
}

const maxBodyBytes = 65_536
const requestTimeoutMs = 30_000

export function createServer(options: ServerOptions): FastifyInstance {
  const { routes, log, knownCalls } = options
  const server = Fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: requestTimeoutMs,
    exposeHeadRoutes: false,
    http: {
      // Refused by ourselves, with a body.
      requireHostHeader: false,
      // Of the two limits Node takes the longer for the whole request, whichever was named for it.
      headersTimeout: requestTimeoutMs,
      // Node looks every thirty seconds, and a request that has just begun then would have nearly twice its time.
      connectionsCheckingInterval: requestTimeoutMs / 30,
    },
    // What has come over an open connection is answered, also while the last calls are.
    return503OnClosing: false,
    // Longer than any request line, so that the router refuses no id: an id is judged after the key.
    routerOptions: { maxParamLength: 65_536 },
    genReqId: requestIdOf,
    rewriteUrl: (raw) => {
      raw.method = routedMethod(raw.method)
      return raw.url ?? '/'
    },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket),
    frameworkErrors: (error, request, reply) => {
      void sendError(
        request,
        reply.header('x-request-id', request.id),
        refusalOf(error) ?? new AppError('PathNotFound', 'There is nothing at this path.'),
      )
    },
  })
  // Whoever has said all that they want and closes their side is answered all the same; Node has no option for it.
  Object.assign(server.server, { httpAllowHalfOpen: true })
  options.front.standBefore(server)
  stopPromptly(server, options)
  const refuseUnreadable = createRefuseUnreadable(server)
  keepWhileInWork(server)
  refuseTunnels(server)
  refuseExpectations(server)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    // What is no text is refused where JSON is read: after the key was looked at.
    done(null, typeof body !== 'string' && isUtf8(body) ? body.toString() : body),
  )
  server.setErrorHandler(
    createErrorHandler(log, (request, error) => {
      const call = knownCalls.get(request)
      if (!call) return
      options.noteKeyError(call.principal)
      options.noteError?.(callErrorOf(call, error, request.id))
    }),
  )
  server.setNotFoundHandler((request, reply) =>
    sendError(request, reply, new AppError('PathNotFound', 'There is nothing at this path.')),
  )
  // What every call goes through says that it is done: a promise for each would cost as much as all that it does.
  server.addHook('onRequest', (request, reply, done) => {
    reply
      .header('x-request-id', request.id)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
    done()
  })
  countInside(server, knownCalls, options.gate)
  observeCalls(server, options)
  registerRoutes(server, routes, options)
  return server
}

function observeCalls(server: FastifyInstance, { metrics, tracer, knownCalls }: ServerOptions): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, headers, id: requestId, routeOptions } = request
    const { statusCode: status, elapsedTime: durationMs } = reply
    const route = routeOptions.url ?? 'unknown'
    metrics.observeRequest(method, route, status, durationMs / 1000)
    const call = tracer && knownCalls.get(request)
    if (call) {
      const { traceparent } = headers
      traceCall(tracer, { ...call, method, route, status, durationMs, requestId, traceparent })
    }
    done()
  })
}
