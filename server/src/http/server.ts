/** The HTTP server: routes from the table, authentication, the common error body, the request id. */
import { isUtf8 } from 'node:buffer'
import { AppError } from '@countersign/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import type { NoteCallError } from '../domain/insight/index.ts'
import type { Principal } from '../domain/tenancy/index.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { refuseExpectations } from './bare-refusal.ts'
import { createErrorHandler, refusalOf, sendError } from './errors.ts'
import { countInside, type Gate } from './gate.ts'
import { answerHeaders } from './header.ts'
import { keepLongerThanSaid, keepWhileInWork, keptMs } from './idle.ts'
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
  /** Notes errors that callers with a key get; absent on a node that answers no calls. */
  readonly noteError?: NoteCallError | undefined
  /** `authenticate` asks the gate first. */
  readonly gate: Gate
  readonly log: Log
  readonly metrics: Metrics
  /** Called when a call with a key was refused. */
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
    keepAliveTimeout: keptMs,
    exposeHeadRoutes: false,
    http: {
      // We refuse a missing `host` header ourselves, with a body.
      requireHostHeader: false,
      // Node uses the longer of this and `requestTimeout` for the whole request.
      headersTimeout: requestTimeoutMs,
      // By default Node checks every thirty seconds, so a request could take nearly twice its limit.
      connectionsCheckingInterval: requestTimeoutMs / 30,
    },
    // Calls over open connections are answered even while the server is closing.
    return503OnClosing: false,
    // Longer than any request line, so that the router refuses no id: ids are checked after the key.
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
        reply.header('x-request-id', request.id).headers(answerHeaders),
        refusalOf(error) ?? new AppError('PathNotFound', 'There is nothing at this path.'),
      )
    },
  })
  Object.assign(server.server, {
    // A caller that closes its side after sending the request still gets an answer. Node has no option for this.
    httpAllowHalfOpen: true,
    // No limit: Node would silently leave out the last ones, such as the key, or what a proxy has added. Their bytes
    // are limited.
    maxHeadersCount: 0,
  })
  options.front.standBefore(server)
  stopPromptly(server, options)
  const refuseUnreadable = createRefuseUnreadable(server)
  keepWhileInWork(server)
  keepLongerThanSaid(server)
  refuseExpectations(server)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    // A body that is not UTF-8 is refused where JSON is parsed, which is after the key was checked.
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
  // With `done` instead of a promise: a promise for each call would cost as much as everything else in the hook.
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(answerHeaders)
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
